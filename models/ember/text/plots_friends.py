"""Plots about others: losing and finding, sharing, helping, saying sorry."""

MEET = [
    "{h} met {f.a}.", "{way}, {h} met {f.a}.", "Then {f.a} came along.",
    "Just then, {f.a} [came by|looked out from behind a stone|appeared].",
    "On the way, {h} met {f.a}.", "There sat {f.a}.",
]


def meet(s):
    """The friend comes in, if not there yet."""
    if s.friends:
        s.say("{h} told {f.N} about it.", "{f.N} came to help.", "{h.p} friend {f.n} saw it at once.",
              "Luckily, {f.N} was there too.", "{h} went to {f.N} for help.")
    else:
        s.friend()
        s.say(*MEET)
        s.friends = True


def lost_and_found(s):
    s.thing()
    s.say("{h} had {o.a}. {h} took it everywhere.", "{h} loved {h.p} {o.full} more than anything.",
          "{h.p} favourite thing was {o.a}.", "{h} had {o.a} that {h.p} {parent} had given {h.o}.",
          "{h} owned only one special thing: {o.a}.")
    s.say("{day}, {h} {h.went} {way}. When {h} came home, {o.the} was gone!",
          "But {day}, {h} could not find {o.the} anywhere.",
          "{day}, {h} played near {place} for a long time. Then {h} saw that {o.the} was missing.",
          "{day}, {h} looked for {o.the}, but it was not there.")
    s.say("<h cried:Oh no! Where is my {o.n}?>", "<h:I have lost my {o.n}!>", "{h} was very {sad}.",
          "<h:It must be here somewhere.>", "{h} began to cry.")
    s.say("{h} looked {spot0}. {h} looked {spot1}. It was not there.",
          "First {h} looked {spot0}. Then {h} looked {spot1}. There was no {o.n}.",
          "{h} searched {spot0} and {spot1}, but found nothing.",
          "{h} {h.went} {way} and looked {spot0}, but there was only [dust|an old button|a sleepy beetle|a dry leaf].")
    s.paragraph()
    meet(s)
    s.say("<f:Why are you so {sad}?> <h:I have lost my {o.n}.> <f:Do not worry. I will help you look.>",
          "<h:Have you seen my {o.full}?> <f:No, but two of us will find it faster than one.>",
          "<f:What are you looking for?> <h:My {o.n} is gone.> <f:Then let us look together!>",
          "{h} told {f.o} about {o.the}. <f:I will help you.>")
    end = s.rng.random()
    if end < 0.55:
        s.say("Together {they} looked everywhere. At last, {f} saw something {spot2}. <f:Look! Is that it?>",
              "{they} {f.went} {way} and looked {spot2}. There it was!",
              "{they} looked and looked. Then {h} saw something shine {spot2}.",
              "{f} had an idea. <f:When did you have it last?> {h} thought hard. Then {h} remembered! {they} hurried back and looked {spot2}.")
        s.say("It was {o.the}! {h} was so {happy}.", "It was {h.p} {o.n}. {h} [laughed|danced|jumped] with joy.",
              "{h} picked up {o.the} and held it tight.", "{o.the} was [wet|dusty|a little muddy], but {h} did not mind.")
    else:
        s.slots["x"] = s.being(s.world["kinds"], ["baby", "tiny", "small"], 0.1)
        s.say("{spot2}, {they} found {x.a}. {x} was asleep with {o.the}.",
              "At last {they} came to {place}. {x.a} was playing with {o.the}.")
        s.say("<x:I am sorry. I did not know it was yours. I have no toys at all.>",
              "<x:Is this yours? I found it {spot3}. It is so pretty.>",
              "{x} looked {afraid}. <x:Please do not be angry. I only wanted to play.>")
        s.say("{h} thought for a moment. <h:We can play with it together.>",
              "{h} was not angry. <h:Thank you for keeping it safe. Do you want to play with us?>",
              "<h:You may use it too. Things are more fun with friends.>")
    s.say("<h:Thank you, {f.call}! You are a true friend.>", "{h} thanked {f.o} again and again.",
          "<h:Thank you for your help.> <f:That is what friends are for.>",
          "{h} gave {f.o} a big hug.")
    s.moral = ["a good friend is better than {o.a}", "it is easier to look for things together",
               "to take good care of {h.p} things"]


def new_friend(s):
    s.friends = False
    s.friend()
    s.say("But {h} had [no friends|nobody to play with|no one to talk to].", "{h} often felt lonely.",
          "{h} had just come to live there, and did not know anyone.", "Nobody ever came to play with {h.o}.")
    s.say("{day}, {h} {h.went} {way}. There {h} saw {f.a} who was [singing|playing|resting|looking at the sky] all alone.",
          "{day}, {h} heard someone crying {spot0}. It was {f.a}.",
          "{day}, {f.a} came to live near {place}.", "{day}, {h} saw {f.a} {spot0}.")
    s.say("{h} wanted to say hello, but {h} was too shy.", "{h} did not know what to say.",
          "At first, {h} hid {spot1}.", "{h} felt {h.p} heart beat fast.")
    s.say("Then {h} took a deep breath. <h:Hello. {iam} What is your name?>",
          "But {f} smiled. <f:Hello! Do you want to play with me?>",
          "<f:You do not have to hide. I am all alone too.>",
          "<h asked:Are you lonely too?> {f} nodded slowly.")
    s.paragraph()
    s.say("{they} played all day long. {they} [told jokes|made up songs|looked for shiny stones|built a little tower] and laughed until the sun went down.",
          "Soon {they} were playing hide and seek {way}.", "{f} showed {h.o} {place}. {h} showed {f.o} {h.p} home.",
          "{they} talked about everything. {they} both loved {love}.")
    s.food()
    s.maybe(0.6, "{h} had {e.a}, and {they} shared {e.it}.", "{f} gave {h.o} half of {f.p} {e.n}.",
            "{they} ate {e.a} and watched the clouds.")
    s.say("<f:Will you come back tomorrow?> <h:Yes! I will come every day.>",
          "<h:I am glad that I met you.> <f:So am I.>", "When it got dark, {they} did not want to say goodbye.",
          "<f:Now we are friends.> {h} smiled from ear to ear.")
    s.say("After that, {h} was never lonely again.", "From that day on, {they} met every day at {place}.",
          "Now {h} had a friend, and the world looked brighter.")
    s.moral = ["a friend can be found anywhere", "a small hello can be the start of something big",
               "being brave can bring you a friend"]


def sharing(s):
    s.food(made=True)
    s.say("{day}, {h} found {e.a} {spot0}.", "{day}, {h.p} {parent} gave {h.o} {e.a}.",
          "{day}, {h} made {e.a}. {e.one} smelled wonderful.", "{day}, {h} was given {e.a}. {h} could hardly wait to eat {e.it}.")
    s.say("<h:{e.this} {e.is} all mine!>", "{h} wanted to keep {e.it} for {h.r}.",
          "{h} sat down {spot1} to eat {e.it} all alone.", "{h} hid {e.it} {spot1}.")
    meet(s)
    s.say("<f:I am so hungry. May I have a little?>", "{f} looked at {e.the} with big eyes. <f:That looks tasty.>",
          "<f:I have not eaten since yesterday. Can you share with me?>")
    s.say("<h:No! Go and find your own food.> {f} [went away sadly|turned away with tears in {f.p} eyes].",
          "{h} shook {h.p} head. <h:There is not enough for two.> {f} was {sad} and left.",
          "<h:Maybe later.> {f} said nothing and left with {f.p} head down.")
    s.paragraph()
    s.say("{h} began to eat. But somehow {e.the} did not taste good.",
          "Now {h} was alone with {e.the}. {h} did not feel happy at all.",
          "{h} took one bite. Then {h} thought of {f.p} sad face.")
    s.say("{h} remembered what {h.p} {parent} always said: \"Food tastes best with friends.\"",
          "<h thought:I would be sad too if I were hungry.>", "{h} thought about it for a long time.")
    s.say("So {h} {h.went} after {f.O}. <h:Wait! I am sorry. Let us eat together.>",
          "{h} hurried {way} until {h} found {f.O}. <h:Please come back. I want to share with you.>",
          "<h called:{f.call}, come back! There is enough for both of us.>")
    s.say("{they} sat down {spot2} and ate {e.the} together. {e.one} tasted better than ever.",
          "{f} smiled, and {they} shared {e.the}. Every bite was delicious.",
          "{they} cut {e.the} in two. Even half of {e.it} was enough.")
    s.maybe(0.5, "The next day, {f} brought {h.o} [some sweet berries|a little gift|a bunch of flowers].",
            "<f:Next time, I will share with you.>", "<f:You have a good heart.>")
    s.moral = ["sharing makes everything taste better", "to share is to be happy twice",
               "there is always enough for a friend"]


def apology(s):
    s.thing(breaks=True)
    if not s.friends:
        s.friend()
        s.say("{h.p} best friend was {f.a}. {f} had {o.a}.", "{h} had a friend, {f.a}, who owned {o.a}.")
    else:
        s.say("{f.N} had {o.a}, and {f} was very proud of it.")
    s.friends = True
    s.say("{day}, {h} [took|borrowed] {o.the} without asking.", "{day}, {f} let {h.o} [hold|use|look at] {o.the}.",
          "{day}, {h} was playing much too wildly near {o.the}.")
    s.say("Then it happened. {o.the} fell and broke in two.", "Crack! Suddenly, {o.the} was broken.",
          "Oh no! {h} dropped {o.the}, and it broke.", "Splash! {o.the} fell into the mud and broke.")
    s.say("{h} was {afraid}. {h} hid {o.the} {spot0} and said nothing.",
          "{h} did not know what to do. So {h} put {o.the} {spot0} and [went home|hurried away].",
          "<h thought:Nobody must know.> {h} hid it {spot0}.")
    s.paragraph()
    s.say("That night, {h} could not sleep. {h.p} tummy hurt, and {h.p} heart felt heavy.",
          "Soon {f} came. <f asked:Have you seen my {o.n}?> {h} looked at the ground. <h:No.> But {h} felt terrible.",
          "All day long, {h} thought about {o.the}. Not even a game was fun.")
    s.maybe(0.5, "{h} told {h.p} {parent} about it. <m:It is hard to tell the truth, but it makes your heart light.>",
            "<m:You look {sad}. Is there something you want to tell?>")
    s.say("The next morning, {h} went to {f.O}. <h:I broke your {o.n}. I am so sorry.>",
          "At last, {h} told the truth. <h:It was me. I broke your {o.n}, and I hid it. I am sorry.>",
          "{h} took a deep breath. <h:I have to tell you something. I broke your {o.n}.>")
    s.say("{f} was quiet for a moment. <f:Thank you for telling me. I am not angry.>",
          "{f} was {sad}, but then {f} smiled. <f:It was brave of you to tell the truth.>",
          "<f:I was angry, but now I am glad that you told me.>")
    s.say("Together {they} mended {o.the} with [glue and string|a bit of wax|a piece of ribbon]. It looked even better than before.",
          "{they} fixed {o.the} together. It took all afternoon, and {they} laughed a lot.",
          "{h} helped {f.o} make a new {o.n}. It was a little crooked, but {they} loved it.")
    s.moral = ["telling the truth makes the heart light", "it is brave to say sorry",
               "a true friend can forgive"]


def rescue(s):
    s.friends = False
    s.friend()
    trouble = s.rng.choice([
        ("was stuck {spot0}", "pulled and pulled until {f.N} was free"),
        ("was caught in an old net", "bit through the ropes, one by one"),
        ("had hurt {f.p} leg", "wrapped a soft leaf around it"),
        ("was trapped under a heavy stone", "pushed with all {h.p} strength until the stone rolled away"),
    ])
    if s.slots["f"].kind in ("snake", "worm", "fish", "star", "cloud", "comet", "eel"):
        trouble = ("was stuck {spot0}", "pulled and pulled until {f.N} was free")
    s.slots["trouble"], s.slots["free"] = trouble
    s.say("{day}, {h} {h.went} {way}. Suddenly, {h} heard a [small|sad|quiet] voice. \"Help! Please help me!\"",
          "{day}, {h} heard someone crying {spot1}.", "{day}, {h} {h.went} {way} and heard a strange sound.")
    s.say("It was {f.a}. {f} {trouble}.", "There was {f.a}. {f} {trouble} and could not move.")
    s.say("{h} was {afraid}, but {h} wanted to help. {h} {free}.",
          "<h:Do not be afraid. I will help you.> {h} {free}.", "{h} did not wait. {h} {free}.",
          "At first nothing worked. But {h} did not give up. {h} {free}.")
    s.say("<f:Thank you! You saved me. One day, I will help you too.>", "<f:How can I ever thank you?> <h:You do not have to.>",
          "<f:You are very kind. I will never forget it.>")
    s.maybe(0.5, "{h} smiled. <h thought:How could someone so small help me?>", "{h} gave {f.o} some water and went home.")
    s.paragraph(0.6)
    s.slots["danger"] = s.rng.choice([
        "a big storm came, and {h} could not find the way home", "{h} fell into a deep hole and could not get out",
        "{h} got lost in the fog", "{h} was caught in a trap", "{h} was so [ill|tired] that {h} could not look for food"])
    s.say("[A few days later|The next week|Some time later|Not long after], {danger}. <h cried:Is anybody there?>",
          "[Many days went by|Winter came]. One day, {danger}.")
    s.say("Then {h} heard a voice that {h} knew. It was {f.N}! <f:Now it is my turn to help you.>",
          "But {f.N} had heard it. {f} came as fast as {f} could.", "Who came {way}? It was {f.N}!")
    s.say("{f} stayed with {h.o} and helped {h.o} until everything was fine again.",
          "{f} knew just what to do, and soon {h} was safe.", "{f} brought all of {f.p} friends, and together they saved {h.o}.")
    s.say("<h:Now you have saved me.> <f:Friends help each other.>", "<h:Thank you, {f.call}. You kept your promise.>",
          "{they} were friends from that day on.")
    s.moral = ["a good deed always comes back", "nobody is too small to help", "kindness is never forgotten"]


def surprise(s):
    s.food(made=True)
    s.say("{day}, it was {h.p} birthday. {h} was very excited.", "{day}, {h} counted the hours. It was {h.p} birthday!",
          "{day} {h} woke up and smiled. <h:Today is my birthday!>")
    s.say("But nobody said a word about it.", "{h} waited and waited, but nobody came.",
          "{h} {h.went} {way} to tell everyone. But nobody was at home.")
    meet(s)
    s.say("<h:Do you know what day it is today?> <f:It is a [Monday|Tuesday|Friday], I think. I have to go!>",
          "<h:Do you want to play?> <f:I am sorry, I have no time today.>",
          "{f} was carrying something behind {f.p} back. <f:I cannot talk now. I am in a hurry.>")
    s.say("{h} was {sad}. <h thought:They have all forgotten me.>", "{h} felt a tear run down {h.p} cheek.",
          "{h} sat down {spot0} and sighed.")
    s.paragraph()
    s.say("In the evening, {h} went home slowly. It was dark and quiet there.",
          "Then {h} saw a light near {place}. {h} came closer.", "When the sun went down, {h} heard whispers near {place}.")
    s.say("\"Surprise!\" Everyone was there: {h.p} {parent}, {f.N} and {folk}.",
          "\"Happy birthday, {h.call}!\" shouted {folk}. There were lanterns and songs and {e.a}.")
    s.say("<f:We made {e.a} for you. That is why I was in such a hurry.>", "<f:Did you think that we forgot you? Never!>",
          "There was {e.a} with a little light on top. {h} closed {h.p} eyes and made a wish.")
    s.say("{h} laughed and cried at the same time.", "It was the best birthday ever.", "{h} had never been so {happy}.")
    s.moral = ["friends do not forget", "good things are worth waiting for"]


def sick_friend(s):
    if not s.friends:
        s.friend()
        s.say("{h} had a good friend, {f.a}. {they} met every day at {place}.",
              "Next door lived {f.a}, {h.p} best friend.")
    s.friends = True
    s.food(made=True)
    s.say("{day}, {f} did not come out to play.", "{day}, {h} waited for {f.O}, but {f} did not come.")
    s.say("{h} {h.went} {way} to see what was wrong. {f} lay in bed and [coughed|sneezed|shivered].",
          "{h} knocked at the door. <f:I am ill. I cannot play today.>")
    s.say("<h thought:I must do something to make {f.o} feel better.>", "{h} wanted to help. But how?",
          "<h:Do not worry. I will take care of you.>")
    s.say("First {h} [picked|found] some flowers {spot0}. Then {h} made {e.a}.",
          "{h} asked {h.p} {parent} for help, and together {they} made {e.a}.",
          "{h} looked {spot0} for herbs and made some warm tea.")
    s.paragraph()
    s.say("{h} brought everything to {f.O}. <f:For me? Oh, thank you!>", "{h} {h.went} back and sat by the bed.")
    s.say("{h} told {f.o} a funny story. {f} laughed so much that {f} forgot to cough.",
          "{h} sang a song until {f} fell asleep.", "{they} looked at a picture book and played quiet games.")
    s.say("[The next day|After three days|A few days later], {f} was well again. <f:You are the best medicine.>",
          "Soon {f} felt better. {they} {h.went} {way} together, just like before.")
    s.moral = ["a little kindness is the best medicine", "good friends are there on bad days too"]


PLOTS = [lost_and_found, new_friend, sharing, apology, rescue, surprise, sick_friend]
