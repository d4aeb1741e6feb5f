"""How stories begin: where, who, what they are like."""

LOVES = [
    "to sing", "to look at the clouds", "to collect shiny stones", "to tell jokes", "to count the stars",
    "to paint pictures", "to ask questions", "to sleep late", "to play hide and seek", "to dance in the rain",
    "to hear stories", "to make new things", "to explore", "to watch the sunset", "to make others laugh",
    "to help others", "to look for treasure", "to play music", "to dream of far places", "to eat sweet things",
    "to listen to the wind", "to make up songs", "to learn new words", "to draw maps", "to whistle",
]

# Third person, with nobody known yet.
PLAIN = [
    "[Once upon a time|Once upon a time|Once upon a time|Long ago|A long time ago|Many years ago|Once|Not so long ago], there was {h.a}. {h} lived {where}[| with {h.p} {parent}| in {home}].",
    "[Once upon a time|Once upon a time|Once upon a time|Long ago], there was {h.a}. {h} loved {love}.",
    "[Once upon a time|Long, long ago|Many years ago|Once], {h.a} lived {where}.",
    "[Once upon a time|Once upon a time|Long ago], {where}, there lived {h.a}.",
    "[There was once|There once was|Once there was|There was] {h.a} who lived {where}.",
    "{where}, there lived {h.a}. {h} lived in {home}.",
    "{where} lived {h.a}.",
    "{where}, there was {home}. {h.a} lived there[| with {h.p} {parent}| all alone].",
    "{h.a} lived {where}. {h} loved {love}.",
    "{h.t} lived {where}[| in {home}]. {h} loved {love}.",
    "{h.t} had [always lived|a home|many friends] {where}. {h} loved {love}.",
    "{h.n} was {h.b} who [lived {where}|loved {love}].",
    "{h.n} lived {where}. {h.s} was {h.b} and loved {love}.",
    "This is the story of {h.a}. {h} lived {where}.",
    "[Have you heard of|Do you know] {h.a}? {h} lived {where} and loved {love}.",
    "Far away, {where}, there lived {h.a}.",
    "In {home}, there lived {h.a}. {h} loved {love}.",
    "Every [morning|evening|day], {h.a} {h.went} {way}. {h} lived {where}.",
    "Everyone knew {h.n}. {h.s} was {h.b} and lived {where}.",
    "Nobody was as [kind|curious|brave|cheerful] as {h.n}. {h.s} was {h.b} who lived {where}.",
    "There are many stories, but this one is about {h.a}.",
    "[I once knew|My grandmother once told me about|My father likes to tell me about|You will not believe it, but there was] {h.a}. {h} lived {where}.",
    "[Somewhere|Somewhere far away], {where}, there was {h.a}.",
    "When {h.n} was very young, {h.p} {parent} told {h.o} many stories. {h} lived {where} and loved {love}.",
    "If you go {way}, you may meet {h.a}. {h} lived {where} when this story began.",
    "Nobody knew where {h.a} had come from. {h} lived {where}.",
    "People say that {where} there lived {h.a}.",
    "The smallest house of all was {home}. {h.a} lived there.",
    "{h.n} had a dream. {h.s} was {h.b} who lived {where}.",
    "Some [animals|people] are loud and some are quiet. {h.a} was very quiet. {h} lived {where}.",
    "There lived {h.a} {where}. Every day was the same, and {h} loved {love}.",
    "In the old days, {h.a} lived {where}.",
]
# Straight into a day: what follows says "that day".
DAYS = [
    "It was a [cold|warm|sunny|rainy|windy|foggy|quiet|beautiful|grey|bright] [morning|day|afternoon|evening] {where}. {sight}. {h.a} was [awake early|ready for an adventure|in a good mood|looking for something to do].",
    "The sun [was shining|rose slowly|was warm and bright] {where}. {h.a} woke up and [smiled|stretched|looked around].",
    "The [moon was full|stars were out|night was quiet|wind was strong|rain had stopped|snow had melted]. {where}, {h.a} could not sleep.",
    "{sight}. {where}, {h.a} was [waking up|thinking|getting ready for the day].",
    "{time}, {h.n} {h.went} {way}. {h.s} was {h.b} who lived {where}.",
    "{time}, {h.t} {h.went} {way}. {sight}.",
    "{time}, {h.a} {h.went} {way}. {sight}.",
    "{time}, {h.n} woke up early. {sight}. {h.s} was {h.b}, and {h} loved {love}.",
    "{h.n} woke up and looked outside. {sight}. It was going to be a [good|special|wonderful|strange] day.",
    "{h.t} woke up [early|with a smile|in {home}]. {sight}.",
    "{h.n} was [bored|excited|wide awake|full of ideas|in a good mood]. {sight}, and the day was still young.",
    "On a [cold winter|warm summer|rainy autumn|bright spring|stormy|quiet] [night|morning|day], {h.a} was at home in {home}.",
    "When the [sun came up|rain stopped|first snow fell|morning came|wind grew warm], {h.a} came out of {home}. {sight}.",
    "[Today|Yesterday] was a special day for {h.n}. {h.s} was {h.b} who lived {where}.",
    "It was [spring|summer|autumn|winter], and {h.a} was [very happy|full of energy|looking for an adventure]. {sight}.",
    "\"Wake up, {h.call}!\"^ {h.n} opened one eye. It was {h.p} {parent}. {sight}.",
    "\"What a [beautiful|wonderful|fine] [day|morning]!\" said {h.n}. {h.s} was {h.b}, and {h} lived {where}.",
    "It was early in the morning {where}. {h.a} came out of {home} and [smiled|took a deep breath|looked at the sky].",
    "[After the rain|After a long winter|Before the sun was up|As the sun went down|Late in the evening], {h.a} {h.went} {way}. {sight}.",
    "The [old|little|big] clock struck [six|seven|nine|twelve]. {h.n} jumped up. {h.s} was {h.b} who lived {where}.",
    "[Last night|Last week|Last winter], {h.n} had a strange dream. {h.s} was {h.b} who lived {where}.",
    "\"I am so bored,\" said {h.n}. {h.s} was {h.b} who lived {where}. {sight}.",
    "{h.n} looked up at the sky. {sight}. It was {time2}.",
    "{h.n} and {h.p} {parent} lived {where}. {time}, {h} {h.went} {way}.",
    "{h.n} went to {place}. {h.s} was {h.b}, and {h} loved {love}.",
    "{h.n} was [on the way|going] to {place}. {sight}.",
    "{h.n} sat {spot4} and thought. {h.s} was {h.b} who lived {where}.",
    "The day began like any other day for {h.n}. {sight}.",
    "High in the sky, the sun was shining. {where}, {h.a} was [singing|humming a song|having breakfast].",
]
FRIENDS = [
    "{h.n} and {f.n} were [best|very good|old] friends. {they} lived {where} and did everything together.",
    "[Once upon a time|Long ago], there were two friends, {h.a} and {f.a}. {they} lived {where}.",
    "{h.a} and {f.a} lived {where}. {they} were best friends.",
    "{time}, {h.n} and {f.n} {h.went} {way} together. {they} were best friends.",
    "{h.n} had a best friend, {f.a}. {they} lived {where}.",
]
ME = [
    "[When I was little|When I was a child|Many years ago|Once|Long ago], I lived {where}[| with my {parent}].",
    "My name is {myname}, and I live {where}.",
    "I will never forget the day I {h.went} {way}. {sight}.",
    "[Last summer|Last winter|One day last year|Yesterday|Last week], I stayed {where} with my {parent}.",
    "I lived {where}. I loved {love}.",
    "I was [walking|going] {way}. {sight}.",
    "My {parent} and I lived {where}. I loved {love}.",
]
TRAITS = [
    "{h} loved {love3}[| and {love2}].", "{h} [always|often] liked {love2}.",
    "Most of all, {h} loved {love2}.", "{h} was [never sad|always busy|often alone|kind to everyone|very curious].",
    "{h} had [a big heart|a lot of dreams|many questions|a warm smile|a good nose for trouble].",
    "{h} wanted [to see the world|to have an adventure|to learn something new every day|to make a friend].",
    "{sight}.",
]


def begin(s, together):
    """Tells a beginning; whether the hero's friend is known afterwards is `s.friends`."""
    from .words import TIMES
    rng, hero = s.rng, s.hero
    s.slots["love"], s.slots["love2"], s.slots["love3"] = rng.sample(LOVES, 3)
    s.slots["time"] = rng.choice(TIMES)
    s.slots["time2"] = rng.choice(["a fine day", "a cold day", "still early", "almost evening", "a good day for an adventure"])
    if hero.gender == "I":
        from .words import BOYS, GIRLS
        s.slots["myname"] = s.name(GIRLS + BOYS)
        opening = rng.choice(ME)
        s.say(opening)
        if "I was [" in opening or "never forget" in opening:
            s.slots["day"] = ["that day", "that morning", "that afternoon"]
    else:
        roll = rng.random()
        if together and roll < 0.25:
            s.friend()
            s.friends = True
            s.slots["f"].known = False
            opening = rng.choice(FRIENDS)
        else:
            opening = rng.choice(PLAIN if roll < 0.55 else DAYS)
        s.say(opening)
        if opening in DAYS or "{time}" in opening:
            s.slots["day"] = ["that day", "that day", "soon", "that very day", "a little later", "later that day"]
    s.maybe(0.45, *TRAITS)
