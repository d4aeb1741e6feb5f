"""Plots about wonders: journeys, mysteries, wishes, treasure, the night."""

from .plots_friends import meet
from .telling import Who


def journey(s):
    goals = ["the end of the rainbow", "the highest hill in the land", "the place where the sun sleeps",
             "the silver lake", "the big city", "the hidden valley", "the tallest tree in the world"]
    if not s.sea:
        goals.append("the sea")
    else:
        goals = ["the island of singing stones", "the place where the sun sleeps", "the great blue hole", "the warm waters of the south"]
    s.slots["goal"] = s.rng.choice(goals)
    s.food()
    s.say("All {h.p} life, {h} had dreamed of {goal}.", "{day}, {h} heard a story about {goal}. <h:I want to see it with my own eyes!>",
          "{h} wanted to see {goal}.")
    s.say("So {h} packed {e.a}, said goodbye and {h.went} {way}.", "<m:Be careful, and come back soon.> {h} packed {e.a} and left.",
          "{day}, {h} took {e.a} and went out into the world.")
    s.say("The way was long. {sight}.", "{h} {h.went} {way}. {sight}.", "The first day was easy. The second day was hard.")
    meet(s)
    s.say("<f:Where are you going?> <h:I am going to see {goal}.> <f:May I come with you?>",
          "<f:I have always wanted to see {goal} too.> So {they} went on together.", "{f} was tired and hungry, so {h} shared {e.the}. Then {they} went on together.")
    s.paragraph()
    s.say("Then {they} came to a [wide river|deep valley|dark tunnel]. <h:How can we get across?>", "A thick fog came, and {they} lost the way.",
          "The way became steep and dangerous.") if not s.sea else s.say("A strong current pulled {them} away.", "The water became cold and dark.")
    s.say("But {they} helped each other, and soon {they} were on the other side.", "{f} went first, and {h} followed.", "<f:Stay close to me.> Little by little, {they} made it.")
    s.say("At last, {they} reached {goal}. It was more beautiful than any dream.", "And there it was: {goal}! {they} could not say a word.",
          "In the evening, {they} came to {goal}. Everything shone like gold.")
    s.say("{they} stayed until the stars came out. Then {they} {h.went} home.", "<h:It is beautiful. But do you know what was best? The way here with you.>",
          "After some days, {h} began to miss home. So {they} turned back.")
    s.say("{h.p} {parent} was waiting with open arms.", "Back home, {h} told everyone about it.", "{h} brought home a small stone from {goal}, and a new friend.")
    s.moral = ["the way is as good as the goal", "dreams begin with a first step", "a long way is short with a friend"]


MYSTERIES = [
    ("all the {e.n} had disappeared", "a line of crumbs", "had been so hungry"),
    ("{o.the} had vanished in the night", "tiny footprints", "only wanted to look at it"),
    ("there was a strange sound every night", "a long shadow", "could not sleep and was humming a song"),
    ("someone had painted colourful dots on all the stones", "a drop of paint", "wanted to make the world more beautiful"),
    ("there were strange footprints everywhere", "a blue feather", "was looking for a friend"),
    ("somebody had left a little gift at every door", "a piece of ribbon", "wanted to make everyone happy"),
]


def mystery(s):
    s.food()
    s.thing()
    s.slots["odd"], s.slots["clue"], s.slots["why"] = s.rng.choice(MYSTERIES)
    while s.slots["odd"].startswith("all the") and not s.slots["e"].many:
        s.slots["odd"], s.slots["clue"], s.slots["why"] = s.rng.choice(MYSTERIES)
    s.slots["x"] = x = s.being(s.world["kinds"], ["shy", "tiny", "young", "small"], 0.3)
    s.say("{day}, something strange happened: {odd}.", "{day}, everyone was talking about one thing: {odd}.", "{day}, {h} saw that {odd}.")
    s.say("<h:I will find out what is going on.>", "Nobody knew who had done it. <h:This is a mystery!>", "{folk} {fwere} {afraid}. But {h} was curious.")
    s.say("{h} looked for clues. {spot0}, {h} found {clue}.", "{h} looked closely at everything. Then {h} saw {clue}.", "{h} searched {spot0} and {spot1}. At last {h} found {clue}.")
    if s.rng.random() < 0.6:
        meet(s)
        s.say("<f:Maybe it was a ghost!> <h:There are no ghosts. Come with me.>", "<h asked:Was it you?> <f:No, not me. But I can help you.>",
              "<f:Let us wait until night and watch.>")
        s.say("{they} followed the trail {way}.", "{they} hid {spot2} and waited.")
    else:
        s.say("{h} followed the trail {way}.", "That night, {h} hid {spot2} and waited.")
    s.paragraph()
    s.say("Then something moved. It was {x.a}!", "And there, {spot3}, sat {x.a}.", "There was a small noise. {x.a} came out of the dark.")
    s.say("{x} was very {afraid}. <x:Please do not be angry.>", "<h:So it was you! But why?>", "{x} began to cry. <x:I am sorry.>")
    s.say("{x} explained everything. {x} {why}.", "It turned out that {x} {why}.")
    s.say("{h} was not angry at all. <h:You should have told us. We will help you.>", "<h:Next time, just ask. Everyone here is kind.>", "{h} smiled. <h:Come with me. I will tell the others.>")
    s.say("So the mystery was solved, and {x} had a new friend.", "{folk} laughed when they heard it, and {x} was never alone again.")
    s.moral = ["it is better to ask than to guess", "behind every mystery there may be someone who needs a friend"]


def wish(s):
    s.thing()
    s.slots["g"] = s.being(s.world["kinds"], ["golden", "silver", "tiny", "glowing", "white"], 0.2)
    s.say("{day}, {h} found {o.a} {spot0}. When {h} touched it, it began to glow.", "{day}, {h} helped {g.a} who was stuck {spot0}. <g:Thank you. I will give you a wish.>",
          "{day}, {h} picked up {o.a}. \"Make a wish,\" said a tiny voice.")
    if s.slots["g"].known:
        s.say("<h asked:A real wish?> <g:Yes, but think well.>", "{h} could not believe it.")
    else:
        s.say("<h asked:Who is there?> \"I am the magic of this {o.n}. You have one wish.\"", "{h} was so surprised that {h} almost dropped it.")
    foolish = s.rng.choice([
        ("to have all the food in the world", "There was so much food that {h} could not move. Soon {h} felt ill", "nobody could come in"),
        ("to be as big as a mountain", "{h} grew and grew. But now {h} did not fit into {h.p} own home, and everyone was afraid", "everything looked so small and far away"),
        ("never to be told what to do", "Suddenly, nobody was there. Everything was quiet", "{h} was all alone"),
        ("to turn everything into gold", "The flowers turned to gold. The food turned to gold. {h} could not eat anything", "gold was cold and hard"),
        ("to be able to fly to the moon", "Whoosh! {h} flew up to the moon. But it was cold and lonely there", "there was nobody to talk to"),
        ("to stay awake forever", "{h} stayed awake all night. But everyone else was asleep, and {h} grew so tired", "there was nothing to do at night"),
    ])
    s.slots["wish"], s.slots["result"], s.slots["but"] = foolish
    s.say("{h} thought for a while. <h:I wish {wish}!>", "<h shouted:I wish {wish}!> {h} did not think about it for long.")
    s.say("{result}, and {but}.", "And so it happened. {result}, and {but}.")
    s.paragraph()
    s.say("<h:This is not what I wanted.>", "At first it was fun. But soon {h} was {sad}.", "{h} began to cry. <h:I want everything to be as it was before.>")
    s.say("Then {h} heard the voice again. \"Do you want to take it back?\"^ {h} nodded.", "A warm light came. \"Have you learned something?\" asked the voice. <h:Yes. I have everything I need.>")
    s.say("At once, everything was as before. {h} hurried home and hugged {h.p} {parent}.", "{h} blinked. {h} was back at home, and everything was just right.")
    if not s.slots["g"].known:
        s.maybe(0.5, "Was it a dream? But {spot1}, {o.the} was still glowing a little.", "{h} put {o.the} back where it belonged.")
    s.moral = ["it is good to be happy with what you have", "not every wish makes you happy", "to think before making a wish"]


def fallen_star(s):
    s.say("One night, a little star fell from the sky. It landed {spot0}.",
          "One night, {h} saw a bright light {spot0}. It was a tiny star!", "One evening, {h} looked up and saw a star falling. It landed near {place}.")
    s.slots["t"] = Who("star", s.rng.choice("mf"), title="the star")
    s.say("<t:I fell out of the sky, and I want to go home.>", "The star was crying. <t:How can I get back to my family?>", "<t whispered:I am so cold down here.>")
    s.say("{h} picked it up gently. It was warm and soft.", "<h:Do not cry. I will take you home.>", "{h} wrapped it in a soft leaf. <h:I will help you.>")
    s.say("But how could {h} reach the sky? First {h} tried to throw it up. It did not work.", "{h} climbed up as high as {h} could, but the sky was still too far away.",
          "{h} jumped and jumped, but the sky was too high.")
    s.elder()
    s.say("Then {h} asked {w.a}. <w:Go to {place}. When the moon is full, the sky comes close.>", "{w.a} knew what to do. <w:A star flies when it hears a happy song.>",
          "{w.a} smiled. <w:A star can rise again if someone gives it a kind word.>")
    s.paragraph()
    s.say("So {h} {h.went} {way} and carried the star to {place}. There {h} sang the most beautiful song {h} knew.", "{h} carried the little star to {place}. <h:You are the brightest star I have ever seen.>")
    s.say("The star began to shine. Slowly, it rose up into the night.", "The star grew brighter and brighter. Then it floated up, higher and higher.")
    s.say("<t:Thank you! I will shine for you every night.>", "<t:I will never forget you!>")
    s.say("Since then, one star shines a little brighter than the others. {h} waves at it every night.", "That night, {h} looked up. One star was winking.")
    s.moral = ["even small ones can do great things", "a kind word can make someone shine"]


def feared_one(s):
    big = ["dragon", "giant", "troll", "wolf", "bear", "ogre", "monster"]
    if s.sea:
        big = ["shark", "whale", "giant squid", "sea monster"]
    elif s.world["name"] == "the savanna":
        big = ["lion", "tiger", "crocodile", "gorilla"]
    big = [kind for kind in big if kind not in s.kinds]
    s.slots["g"] = g = Who(s.rng.choice(big), s.rng.choice("mf"), None, s.rng.choice(["huge", "great", "terrible", "big"]))
    s.kinds.add(g.kind)
    s.say("{folk} {fwere} afraid of {g.a} who lived near {place}.", "Near {place} lived {g.a}. Everyone was afraid of {g.o}.")
    s.say("\"Never go there,\" everyone said. \"The {g.kind} eats whoever comes too close.\"", "At night, they could hear a loud roar. Nobody dared to go there.")
    s.say("{day}, {h} got lost and came right to {g.p} door.", "But {h} was curious. {day}, {h} {h.went} {way} to see it.", "{day}, {h} heard the {g.kind}. But it did not sound angry. It sounded sad.")
    s.say("{h} was {afraid}, but {h} looked inside. The {g.kind} was crying.", "There sat the {g.kind}. Big tears ran down {g.p} face.")
    s.say("<h asked:Why are you crying?> <g:Because nobody wants to be my friend. They all run away.>", "<g:Are you not afraid of me?> <h:A little. But you look so sad.>",
          "<h asked:Are you hurt?> <g:There is a thorn in my foot, and nobody helps me.> {h} pulled the thorn out.") if not s.sea else s.say(
          "<h asked:Why are you crying?> <g:Because nobody wants to be my friend. They all swim away.>", "<g:Are you not afraid of me?> <h:A little. But you look so sad.>")
    s.paragraph()
    s.say("{h} sat down beside {g.o}. <h:I will be your friend.>", "<h:They do not know you. But I will tell them.>")
    s.say("{h} told everyone about it, but nobody believed {h.o}.", "The next day, {h} brought the {g.kind} to {place2}. Everyone hid.")
    s.say("Then a [fire|flood|storm] came. The {g.kind} saved them all." if not s.sea else "Then a big net came down. The {g.kind} tore it and saved them all.",
          "Just then, a little one fell from a high place. The {g.kind} caught the little one just in time.")
    s.say("After that, nobody was afraid anymore. The {g.kind} was invited to every feast.", "\"We were wrong about you,\" they said. \"Please forgive us.\"")
    s.say("And the {g.kind} was never lonely again.", "The {g.kind} smiled. It was the happiest day of {g.p} life.", "Now the little ones ride on {g.p} back.")
    s.moral = ["not to judge others by how they look", "the loudest roar can hide a soft heart", "someone who looks scary may only be lonely"]


def treasure(s):
    s.say("{day}, {h} found an old map {spot0}. There was a big red cross on it.", "{day}, a bottle lay in front of {h.O}. Inside was a map!", "{h.p} {parent} had left {h.o} an old map.")
    s.say("<h:A treasure map! I must find the treasure.>", "{h} looked at it closely. It showed the way to {place}.")
    meet(s)
    s.say("<f:May I come with you?> <h:Yes! Let us go together.>", "<h:Come with me. We will share the treasure.>", "<f:I know this place! It is near {place}.>")
    s.say("{they} {h.went} {way}. {sight}.", "The map led {them} {way}.")
    s.maybe(0.6, "On the way, {they} came to a dark tunnel. {f} was {afraid}, but {h} stayed close to {f.o}.", "A strong wind blew the map away, but {f} caught it.",
            "{they} had to solve a riddle. \"What gets bigger when you share it?\"^ <f:Happiness!>")
    s.paragraph()
    s.say("At last {they} came to the red cross. {they} dug and dug. There was a box!", "There, {spot1}, stood an old box.", "{h} began to dig. Clonk! There was something hard.")
    s.thing("o")
    s.food("e")
    s.say("{they} opened it. Inside there was no gold. There was only a note: \"The real treasure is the friend who came with you.\"",
          "{they} opened it slowly. It was full of golden coins! <f:What shall we do with them?> <h:We will share them with everyone.>",
          "Inside was {o.a} and a letter. \"Whoever finds this has a brave heart,\" it said.",
          "Inside, {they} found {o.a} and a picture of two friends.")
    s.say("{they} looked at each other and laughed.", "{h} smiled. <h:This was the best day of my life.>", "{they} {h.went} home, tired and {happy}.")
    s.moral = ["a friend is the best treasure", "the adventure is the real treasure", "a treasure is best when it is shared"]


def bedtime(s):
    s.say("One night, {h} could not sleep.", "It was late, but {h} was wide awake.", "The stars were out, but {h} could not close {h.p} eyes.")
    s.say("{h} turned to the left. {h} turned to the right. Nothing helped.", "{h} counted to one hundred. {h} was still awake.", "<h:I am not tired at all.>")
    s.elder()
    s.friend("f")
    s.say("So {h} went to {f.a}. <h:What do you do when you cannot sleep?> <f:I [sing a quiet song|think of something nice|count the stars].>",
          "Outside sat {f.a}. <f:I always look at the moon until my eyes close.>")
    s.say("{h} tried it. But it did not help.", "{h} tried that for a while, but {h} only felt more awake.")
    s.say("Then {h} asked {w.a}. <w:I drink something warm before I sleep.>", "{w.a} was awake too. <w:I tell myself a story.>")
    s.say("{h} tried that too. It was nice, but {h} was still awake.", "But that did not work either.")
    s.paragraph()
    s.say("At last, {h} {h.went} home. {h.p} {parent} was waiting. <m:Where have you been?> <h:I was looking for my sleep.>",
          "Then {h.p} {parent} came. <m:Are you still awake, my dear?>")
    s.say("<m:Come here. I will hold you.> {h.p} {parent} sang softly.", "{h.p} {parent} gave {h.o} a kiss and told {h.o} a story about a little cloud.")
    s.say("{h} yawned. {h.p} eyes grew heavy. Soon {h} was fast asleep.", "After a little while, {h} was asleep.")
    s.say("And {h} dreamed of {goal}.", "Outside, the moon smiled.", "Good night, {h.call}.")
    s.moral = []


def music(s):
    tool = s.rng.choice(["flute", "drum", "violin", "trumpet", "guitar", "harp"])
    s.slots["tool"] = tool
    s.say("{day}, {h} found an old {tool} {spot0}.", "{day}, {h.p} {parent} gave {h.o} a {tool}.", "{day}, {h} heard someone play the {tool}. {h} wanted to play too.")
    s.say("{h} tried to play. What a terrible noise! Everyone covered their ears.", "At first, it sounded awful. \"Please stop!\" cried {folk}.")
    s.say("So {h} went to {place} and practised all alone.", "{h} was {sad}, but {h} did not stop. {h} played where nobody could hear it.")
    s.slots["f"] = s.being(s.world["kinds"], ["old", "sad", "lonely", "grumpy"], 0.4)
    s.say("{f.a} listened every day. <f:That was a little better than yesterday.>", "One day, {f.a} came by. <f:Play that again. It makes me happy.>")
    s.paragraph()
    s.say("Weeks went by. The music became softer and sweeter.", "Day by day, it sounded better.")
    s.say("Then came the summer feast. But the musicians were ill, and there was no music.", "One evening, {folk} {fwere} sad, because winter was so long.")
    s.say("{h} took a deep breath and began to play. Everyone became quiet.", "<f:{h.N} can play for us!> {h} was {afraid}, but {h} began to play.")
    s.say("Then everyone began to dance. They danced until the moon came up.", "It was so beautiful that some of them cried, and then all of them sang.")
    s.say("\"Play it again!\" they shouted.", "<f:I told you so.>", "{h} had never been so {happy}.")
    s.moral = ["music can open every heart", "practice makes beautiful things", "not to stop when others laugh"]


def false_alarm(s):
    s.slots["beast"] = s.rng.choice(["a shark", "a sea monster"] if s.sea else ["a wolf", "a lion", "a monster", "a fire", "a dragon"])
    s.say("{h} liked to play tricks on everyone.", "{h} was often bored, and then {h} played tricks.", "{h} thought that tricks were funny.")
    s.say("{day}, {h} shouted, \"Help! There is {beast}!\" Everyone hurried to {place}. But {h} only laughed. \"It was a joke!\"",
          "{day}, {h} cried, \"Help! {beast} is coming!\"^ {folk} came at once. But there was nothing. {h} laughed and laughed.")
    s.say("The next day, {h} did it again. Everyone came, and again it was not true. They were very angry.", "A few days later, {h} did the same. \"That is not funny,\" they said.")
    s.maybe(0.5, "<m:If you tell lies, nobody will believe you when it is true.>")
    s.paragraph()
    s.say("Then, one evening, {h} really saw {beast}. <h shouted:Help! Please come! This time it is true!>", "But one day, there really was {beast}! {h} was so {afraid}. <h shouted:Help me!>")
    s.say("But nobody came. \"It is just another joke,\" they said.", "They all heard it, but nobody moved.")
    s.friend("f")
    s.say("{h} had to hide {spot0} all night. It was cold and dark.", "Only {f.a} came to look. <f:Quick, come with me!> {f} took {h.o} to a safe place.")
    s.say("In the morning, {h} told everyone the truth. <h:I am sorry. I will never lie again.>", "<h:I am so sorry for all my tricks.> {folk} forgave {h.o}.")
    s.say("And {h} kept the promise.", "From then on, when {h} said something, it was true.")
    s.moral = ["those who lie are not believed when they tell the truth", "a lie is never funny for long"]


def way_home(s):
    s.say("{day}, {h} {h.went} too far from home.", "{day}, {h} followed a [butterfly|shiny bug|strange sound|falling leaf] {way}." if not s.sea else "{day}, {h} followed a shiny bubble {way}.",
          "{day}, {h} was playing near {place} and did not see that it was getting dark.")
    s.say("Soon {h} did not know where {h} was. <h:Oh dear, I am lost!>", "{h} looked around. Everything looked strange. {h} was lost.")
    s.say("{h} {h.went} {way}, but {h} only came back to the same place.", "It grew dark, and {h} began to cry.", "<h called:Is anybody there?> But nobody answered.")
    s.friends = False
    meet(s)
    s.say("<f:Are you lost, {h.call}?> {h} nodded. <h:I want to go home.>", "<f:What is wrong?> <h:I cannot find my way home.>")
    s.say("<f:What does your home look like?> <h:I live in {home}.> <f:I think I know it.>", "<f:I will take you to someone who knows every path.>", "<f:Do not cry. What can you see from your home?> <h:I can see {place}.> <f:Then I know the way!>")
    if s.rng.random() < 0.5:
        s.elder()
        s.say("On the way, {they} asked {w.a}. <w:Follow the moon until you come to {place}.>", "{w.a} showed {them} the way. <w:It is not far now.>")
    s.paragraph()
    s.say("{they} {f.went} {way}. {f} told funny stories, and {h} was not {afraid} anymore.", "{they} {h.went} {way} together. {sight}.")
    s.say("Then {h} saw a light. <h shouted:There it is! That is my home!>", "At last, {h} heard a voice calling. It was {h.p} {parent}!")
    s.say("{h.p} {parent} hugged {h.o} tightly. <m:I was so worried about you.>", "<m:There you are!> {h.p} {parent} was so {happy}.")
    s.say("<h:{f.N} helped me.> So {f} was invited to stay for dinner.", "{h} turned around to thank {f.O}. <f:You are welcome. Come and visit me, but do not get lost!>")
    s.moral = ["not to go too far alone", "it is good to ask for help", "there is no place like home"]


def pet(s):
    kind = s.rng.choice(["puppy", "kitten", "bird", "hamster", "rabbit", "tortoise", "pony", "little dragon", "frog"]
                        if not s.sea else ["little fish", "sea snail", "tiny crab"])
    if kind in s.kinds:
        kind = "beetle"
    s.kinds.add(kind)
    s.slots["f"] = Who(kind, s.rng.choice("mf"), None, s.rng.choice(["small", "lost", "wet", "hungry", "tired"]))
    s.say("{h} wished for a pet more than anything.", "\"Please, may I have a pet?\" {h} asked every day. But {h.p} {parent} said no.")
    s.say("{day}, {h} heard a tiny sound {spot0}. It was {f.a}!", "{day}, {h} found {f.a} {spot0}.")
    s.say("{f} was cold and alone. {h} gave {f.o} some food.", "<h:You poor thing! Where is your home?> {f} only looked at {h.o} with big eyes.")
    s.say("{h} took {f.o} home. <h:May I keep {f.o}?> <m:Only if nobody is looking for {f.o}.>", "<m:We must ask if someone has lost {f.o}.> So {h} asked everyone.")
    s.say("{h} waited for three days. Nobody came.", "But {f.N} belonged to nobody.")
    s.paragraph()
    s.slots["petname"] = s.name(["Patch", "Button", "Snowy", "Lucky", "Star", "Cookie", "Pepper", "Fluffy", "Bean"])
    s.say("<m:Then you may keep {f.o}, if you take good care of {f.o}.> {h} called {f.o} {petname}.", "So {f} stayed. {h} named {f.o} {petname}.")
    s.say("Every day, {h} fed {petname} and played with {petname}. It was a lot of work, but {h} loved it.", "{petname} slept beside {h.o} every night.")
    s.say("One day, {h} was sad. {petname} came close and did not leave until {h} smiled.", "Wherever {h} went, {petname} came along.")
    s.moral = ["a pet is a friend who needs care", "love means taking care of someone"]


def mess(s):
    s.food(made=True)
    s.say("{day}, {h} wanted to make {e.a} for {h.p} {parent}.", "{day}, {h} had an idea. <h:I will make {e.a} all by myself!>")
    meet(s)
    s.say("<f:I can help you.> So {they} began.", "<f:Do you know how to make {e.it}?> <h:Of course! It is easy.>")
    s.say("{they} took a big bowl. {h} put in [salt instead of sugar|far too much sugar|ten eggs]." if not s.sea else "{they} took a big shell. {h} put in far too much salt.",
          "First {h} spilled the flour. Then {f} dropped the spoon." if not s.sea else "First {h} spilled everything. Then {f} dropped the spoon.")
    s.say("Soon there was a big mess everywhere. It was on the floor, on the walls and on {f.p} nose." if not s.slots["f"].kind in ("fish", "worm", "star") else "Soon there was a big mess everywhere.",
          "Splash! Everything fell down. What a mess!")
    s.say("{h} looked at {f.O}, and {f} looked at {h.O}. Then {they} both began to laugh.", "<h:Oh dear. What a mess we have made!>")
    s.paragraph()
    s.say("{they} cleaned up everything. It took a long time.", "<f:First we clean up. Then we try again.>")
    s.say("Then {they} tried again, slowly and carefully. This time it worked.", "The second time, {they} did everything right. It smelled wonderful.")
    s.say("In the evening, {h.p} {parent} came home. <m:What smells so good?>", "{h.p} {parent} tasted {e.it}. <m:This is the best I have ever eaten!>")
    s.say("{they} ate {e.the} together, and {h} told the whole story.", "<m:But why do you have something in your hair?> They all laughed." if s.hero.kind in ("boy", "girl", "child") else "Everyone had some, and nothing was left.")
    s.moral = ["a mess can be cleaned up, and a mistake can be mended", "it is better to go slowly and carefully"]


PLOTS = [journey, mystery, wish, fallen_star, feared_one, treasure, bedtime, music, false_alarm, way_home, pet, mess]
