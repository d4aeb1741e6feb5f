"""Plots about doing: fears, contests, inventions, learning, gardens, storms."""

from .plots_friends import meet

FEARS = [
    ("the dark", "it was dark", "a light was needed", "{h} {h.went} into the dark cave"),
    ("thunder", "there was thunder in the sky", "the storm came closer", "{h} {h.went} out into the rain"),
    ("high places", "{h} looked down", "someone had to climb up", "{h} climbed up, step by step"),
    ("the old bridge", "{h} came near the old bridge", "someone had to cross the bridge", "{h} crossed the old bridge, step by step"),
    ("strangers", "someone new came by", "someone had to ask for help", "{h} {h.went} up to a stranger and asked for help"),
    ("the deep cave", "{h} came near the cave", "someone had to look inside", "{h} {h.went} into the deep cave"),
    ("loud noises", "there was a loud noise", "the loud noise came again", "{h} {h.went} straight towards the noise"),
    ("being alone", "nobody else was there", "someone had to go alone", "{h} {h.went} {way} all alone"),
]


def fear(s):
    s.slots["fear"], s.slots["when"], s.slots["need"], s.slots["deed"] = s.rng.choice(FEARS)
    s.say("But {h} had one secret: {h} was afraid of {fear}.", "There was only one problem. {h} was [very|terribly|so] afraid of {fear}.",
          "{h} was afraid of nothing, except {fear}.", "When {when}, {h} always began to shake. {h} was afraid of {fear}.")
    s.maybe(0.6, "The others laughed at {h.o}. \"Are you a baby?\" they asked.", "Whenever {when}, {h} hid {spot0}.",
            "<m:Everyone is afraid of something. Being brave means doing it anyway.>")
    if not s.friends:
        s.friend()
        s.say("{day}, a little one was in trouble. It was {f.a}. {f} was stuck {spot1} and cried for help.",
              "{day}, {f.a} did not come home. Everyone was worried.", "{day}, {h} heard a cry. {f.a} was lost near {place}.")
    else:
        s.say("{day}, {f.N} did not come home. Everyone was worried.", "{day}, {f.N} was in trouble near {place}.",
              "{day}, {h} heard {f.N} cry for help.")
    s.say("Nobody else was near, and {need}.", "<h thought:I am the only one who can help.>", "But to help, {need}.")
    s.say("{h.p} heart beat fast. <h whispered:I am afraid, but I must try.>", "{h} shook all over. Then {h} thought of {f.O} and took a deep breath.",
          "{h} closed {h.p} eyes and counted to [three|five|ten].")
    s.paragraph()
    s.say("Slowly, {deed}. It was not as bad as {h} had thought.", "Then {deed}. {h} sang a little song to feel brave.",
          "So {deed}. With every moment, {h} felt a little braver.")
    s.say("There was {f.N}! <f:You came! I knew that you would.>", "{h} found {f.O} {spot2}. <h:Do not be afraid. I am here.>")
    s.say("{h} took {f.o} home, safe and sound.", "Together {they} found the way home.", "{they} came back just before night.")
    s.say("Everyone cheered for {h.O}.", "<f:You are the bravest {h.kind} I know.>", "{h.p} {parent} was very proud.",
          "After that, {h} was not so afraid of {fear} anymore.")
    s.moral = ["being brave means doing it even when you are afraid", "fear grows small when you help someone",
               "a small heart can be very brave"]


CONTESTS = [
    ("race", "a big race", "the fastest", "practised every morning"),
    ("singing contest", "a singing contest", "the best singer", "sang every morning"),
    ("baking contest", "a baking contest", "the best cook", "baked one cake after another"),
    ("kite contest", "a kite contest", "the best at flying kites", "worked on a kite all night"),
    ("dance contest", "a dance contest", "the best dancer", "danced in front of a mirror"),
    ("painting contest", "a painting contest", "the best painter", "painted one picture after another"),
    ("talent show", "a talent show", "the most talented of all", "learned new tricks"),
]


def contest(s):
    contests = [CONTESTS[i] for i in (0, 1, 4)] if s.sea else CONTESTS
    s.slots["short"], s.slots["contest"], s.slots["best"], s.slots["practice"] = s.rng.choice(contests)
    s.slots["r"] = s.being(s.world["kinds"], ["proud", "vain", "loud", "big", "boastful"], 0.5)
    s.thing("prize")
    s.say("{day}, there was going to be {contest} near {place}. The prize was {prize.a}.",
          "{day}, {folk} held {contest}.", "{day}, {h} heard about {contest}. The winner would get {prize.a}.")
    s.say("{r.a} laughed. <r:I will win! I am {best}.>", "{r.a} was sure to win. <r:Nobody can beat me.>",
          "Everyone thought that {r.a} would win. <r:Of course I will win!>")
    s.say("{h} wanted to try too. So {h} {practice}.", "{h} was not {best}, but {h} {practice}.",
          "<h:I will do my best.> {h} {practice}.")
    s.maybe(0.5, "{r} laughed at {h.o}. <r:You? You will never win.>", "<m:It does not matter if you win. Have fun!>")
    s.paragraph()
    s.say("Then the big day came. {folk} came to watch.", "At last the day of the {short} came. {h} was [nervous|excited].")
    if s.rng.random() < 0.5:
        s.say("In the middle of the {short}, {r} fell and hurt {r.r}. The others just went on. But {h} stopped and helped {r.O}.",
              "Just before the end, {h} saw that {r} was in trouble. {h} could win now! But {h} turned back to help {r.O}.")
        s.say("{h} did not win. But everyone clapped and cheered for {h.O}.", "So someone else won the {short}. But {h} did not mind.")
        s.say("<r:Why did you help me? I was mean to you.> <h:Because you needed help.>",
              "<r:Thank you. You are a better friend than I was.>", "{r} was ashamed. <r:I am sorry that I laughed at you.>")
        s.say("And {prize.the}? The winner gave it to {h.O}. \"You have earned it,\" everyone said.",
              "From then on, {h} and {r} were friends.", "The next year, {they} took part together.")
        s.moral = ["helping is better than winning", "there are more important things than winning"]
    else:
        s.say("{r} was so sure of {r.r} that {r} [took a nap {spot0}|stopped to look at {r.r} in the water|forgot to get ready].",
              "{r} made one mistake after another because {r} was so proud.")
        s.say("But {h} went on, slowly and carefully. {h} never gave up.", "{h} did everything just as {h} had learned it.")
        s.say("In the end, {h} won the {short}! {h} could not believe it.", "Everyone cheered. {h} was the winner!",
              "When it was over, they gave {prize.the} to {h.O}.")
        s.say("<r:You were really good. I am sorry that I laughed.>", "<r asked:How did you do it?> <h:I just kept trying.>",
              "{h} smiled at {r.O}. <h:Shall we practise together next time?>")
        s.moral = ["hard work is stronger than proud words", "those who keep trying can win", "it is not good to be too proud"]


INVENTIONS = [
    ("the water was too far away", "a little water wheel", "carried the water all by itself"),
    ("the apples hung too high", "a long picking arm", "reached the highest branch"),
    ("the bridge was broken", "a new bridge made of rope", "carried everyone across"),
    ("the nights were too dark", "a lamp made of glass and fireflies", "lit up the whole place"),
    ("it was much too hot", "a big fan made of leaves", "made a cool wind"),
    ("the days were too cold", "a little stove made of clay", "kept everyone warm"),
    ("nobody ever woke up in time", "a bell that rang by itself", "rang every morning at sunrise"),
    ("the hill was too steep for the old ones", "a little lift made of a basket and a rope", "pulled everyone up the hill"),
    ("the rain came through the roof", "a roof of big leaves", "kept everything dry"),
    ("the house was always dirty", "a little machine with a broom", "swept all day long"),
]


def invention(s):
    s.slots["problem"], s.slots["machine"], s.slots["works"] = s.rng.choice(INVENTIONS)
    s.say("There was a problem: {problem}.", "{folk} had a problem: {problem}. Nobody knew what to do.",
          "{day}, everyone was grumbling because {problem}.")
    s.say("<h:There must be a better way.>", "{h} sat down {spot0} and thought.", "Then {h} had an idea. <h:I will build something!>",
          "{h} thought about it all day and all night.")
    s.say("{h} collected [sticks and string|old wheels and ropes|boxes and buttons|shells and stones]. {h} wanted to make {machine}.",
          "{h} drew a plan in the sand. It was {machine}.", "{h} began to build {machine}.")
    s.say("But the first one [fell apart|did not work|broke at once|only made a funny noise]. Everyone laughed.",
          "The first try went wrong. Bang! Everything fell down.", "It did not work. {h} tried again and again.")
    s.say("{h} was {sad}. <h:Maybe I am not clever enough.>", "{h} wanted to give up.")
    s.paragraph()
    meet(s)
    s.say("<f:Do not give up. What if we [use a longer rope|turn it around|make it smaller|start again]?>",
          "{f} looked at it closely. <f:I think one part is missing.>", "<f:I can help you. Two heads are better than one.>")
    s.say("{they} worked until the stars came out.", "Together {they} tried once more.", "{they} changed a little here and a little there.")
    s.say("And this time it worked! It {works}.", "Then {they} held {their} breath. It moved, and it {works}!")
    s.say("Everyone came to see it. \"Hooray!\" they shouted.", "{folk} clapped and cheered.", "\"How clever you are!\" said everyone.")
    s.maybe(0.6, "<h:I could not have done it without my friend.>", "<f:I knew that you could do it.>")
    s.moral = ["every mistake is a step forward", "good ideas need time and a friend", "never to give up after the first try"]


SKILLS = [
    ("swim", "water", "went under", "swim"), ("whistle", "air", "only made a funny sound", "whistle"),
    ("read", "books", "mixed up all the letters", "read"), ("dance", "music", "fell over {h.p} own feet", "dance"),
    ("juggle", "balls", "dropped everything", "juggle"), ("sing", "songs", "sounded like a rusty door", "sing"),
    ("write", "letters", "made a big mess", "write"), ("paint", "colours", "spilled the paint", "paint"),
    ("play the flute", "music", "only made a squeak", "play the flute"), ("bake", "cakes", "burned the cake", "bake"),
    ("tell stories", "stories", "forgot how it ended", "tell stories"), ("jump", "the sky", "landed on {h.p} nose", "jump"),
]


def learning(s):
    skills = [x for x in SKILLS if x[0] in ("read", "dance", "sing", "juggle", "tell stories", "whistle")] if s.sea else SKILLS
    skill, _, fails, _ = s.rng.choice(skills)
    s.slots["skill"], s.slots["fails"] = skill, fails
    s.say("More than anything, {h} wanted to {skill}.", "{h} had a dream. {h} wanted to learn to {skill}.",
          "Everyone {h} knew could {skill}. Only {h} could not.")
    s.say("{day}, {h} tried it for the first time. {h} {fails}.", "{day}, {h} tried to {skill}. But {h} {fails}, and the others laughed.")
    s.say("<h:I will never learn it.>", "{h} was {sad} and hid {spot0}.", "<h:It is too hard for me.>")
    s.elder()
    s.say("{w.a} had seen it. <w:Nobody can do it the first time. Come, I will show you.>",
          "Then {w.a} came by. <w:When I was young, I could not {skill} either.>",
          "{h} went to {w.a} and asked for help. <w:The secret is to try a little every day.>")
    s.paragraph()
    s.say("So {h} practised every day. On the first day, {h} {fails} again. On the second day, it went a little better.",
          "{h} tried in the morning. {h} tried in the evening. Slowly, it got better.",
          "Day after day, {h} came back and tried again.")
    s.maybe(0.5, "Sometimes {h} wanted to stop. Then {h} thought of {w.p} words.", "<w:Good! One more time.>")
    s.say("And then, one day, {h} could do it! <h shouted:Look! I can {skill}!>", "At last the day came. {h} took a deep breath, and it worked!",
          "One evening, it happened. {h} did not {skill} badly at all. It was wonderful!")
    s.say("Everyone came to see it. Nobody laughed now.", "<w:I knew that you could do it.>", "{h.p} {parent} was so proud.")
    s.maybe(0.4, "Now {h} teaches the little ones who cannot {skill} yet.")
    s.moral = ["a little every day makes a big change", "everyone starts small", "practice is the secret"]


def seed(s):
    plants = ["a sunflower", "an apple tree", "a pumpkin", "a rose", "a bean plant", "a strange blue flower", "a cherry tree"]
    if s.sea:
        plants = ["a sea flower", "a coral tree", "a golden seaweed"]
    s.slots["plant"] = s.rng.choice(plants)
    s.say("{day}, {h} found a small [brown|round|strange|golden] seed {spot0}.", "{day}, {h.p} {parent} gave {h.o} a tiny seed.",
          "{day}, a seed fell down right in front of {h.O}.")
    s.say("<h:I will plant it and see what it becomes.>", "{h} dug a little hole near {place} and put the seed inside.",
          "{h} planted it in the best spot near {h.p} home.")
    s.say("Every day, {h} came to look. But nothing happened.", "The first day, nothing happened. The second day, nothing happened.",
          "{h} waited for one week. There was only earth.")
    s.say("The others laughed. \"Nothing will ever grow there,\" they said.", "<h:Maybe it is asleep.>", "{h} was {sad}, but {h} did not give up.")
    s.say("{h} [sang to it|told it stories|took care of it] every day.", "{h} kept it warm and safe.", "When the wind was strong, {h} stayed beside it.")
    s.paragraph()
    s.say("Then, one morning, there was a tiny green leaf! {h} [jumped|danced|laughed] with joy.", "One morning, {h} saw something green. <h shouted:It is growing!>")
    s.say("The little plant grew and grew. It became {plant}.", "Soon it was taller than {h.O}. It was {plant}!",
          "In the end it was {plant}, the most beautiful one that anyone had ever seen.")
    s.say("{folk} came to see it, and {h} shared everything with them.", "Even those who had laughed came and said sorry.",
          "{h} gave a new seed to everyone, so that there could be more.")
    s.moral = ["good things need time", "care and patience make things grow", "even the smallest seed can become something great"]


def storm(s):
    s.say("{day}, dark clouds came over {world}. The wind began to howl.", "{day}, the sky turned black. <h:A storm is coming!>",
          "{day}, a terrible storm broke out over {world}.") if not s.sea else s.say(
          "{day}, the water turned dark. A great storm was coming.", "{day}, big waves rolled over the sea, and everything began to shake.")
    s.say("{h} hid at home. Everything [shook|creaked|trembled], and {h} was {afraid}.", "{h} hurried home. Outside, it roared and rumbled.")
    s.say("Then {h} heard a knock. It was {f.a}, cold and tired.", "Suddenly, there was a voice outside. \"Please let me in!\" It was {f.a}.") \
        if not s.friends and s.friend() else s.say("Then there was a knock. It was {f.N}, cold and tired.", "<h thought:Where is {f.N}? I hope {f} is safe.> Just then, {f} came in.")
    s.friends = True
    s.say("<f:My home is gone. The storm took it away.>", "<f:May I stay with you until the storm is over?>", "<f:I am so {afraid}.>")
    s.say("<h:Of course. Come in. There is room for two.>", "{h} gave {f.o} a warm place and [a blanket|something to eat|the best seat].",
          "<h:Stay here. We will be brave together.>")
    s.paragraph()
    s.say("All night long, {they} told stories, and the storm did not seem so bad.", "{they} sang so loudly that {they} could not hear the storm.",
          "{they} sat close together and listened to the wind.")
    s.say("In the morning, the storm was over. {sight}.", "When the sun came up, everything was quiet. A rainbow stood in the sky.")
    s.say("But much was broken. <h:Let us build it up again.> {they} worked together for days.",
          "{h} helped {f.o} build a new home, right next door.", "{folk} came to help, and soon everything was like new.")
    s.say("Now {they} were neighbours and friends.", "<f:I lost a home, but I found a friend.>", "<f:Thank you for opening your door.>")
    s.moral = ["a storm is not so bad with a friend", "an open door can make a friend", "together, everything can be built again"]


def small_hero(s):
    s.say("{h} was the smallest of all. \"You are too small to help,\" everyone said.", "All the others were bigger than {h.O}. They often laughed at {h.o}.",
          "<h thought:I wish I were big and strong.> For {h} was very small.")
    s.elder("w")
    s.thing()
    s.say("{day}, {w.a} lost {w.p} {o.full}. It had fallen into a deep, narrow hole.", "{day}, something terrible happened. {w.a} had dropped {w.p} {o.full} into a crack between the rocks.")
    s.say("Everyone tried to get it. The big ones were too big, and the strong ones could not reach it.", "One after another, they tried. But the hole was too small for them.")
    s.say("<h said softly:Let me try.> Some of them laughed.", "<h:I am small. I can do it.>", "Then {h} came forward. \"You?\" they asked.")
    s.paragraph()
    s.say("{h} slipped into the hole. It was dark and cold, but {h} did not turn back.", "{h} squeezed inside. Deeper and deeper {h} went.")
    s.say("Down at the bottom, {h} saw {o.the}. {h} took it and came back up.", "There it was! {h} pulled and pushed {o.the} all the way up.")
    s.say("Everyone cheered. <w:Thank you! Nobody else could have done it.>", "<w:You may be small, but you have a great heart.>")
    s.say("After that, nobody laughed at {h.o} anymore.", "From that day on, everyone was glad that {h} was small.", "And {h} was [proud|glad] to be just the way {h} was.")
    s.moral = ["nobody is too small to do great things", "it is good to be just as you are"]


PLOTS = [fear, contest, invention, learning, seed, storm, small_hero]
