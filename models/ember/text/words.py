"""The words of the stories: names, things, feelings, weather. No sentences."""

GIRLS = """Lily Mia Anna Emma Sara Lucy Rosie Ella Zoe Amy Nora Ruby Daisy Ivy Clara Alice Maya Tess
Molly Hannah Julia Olivia Sophie Grace Ada Eva Nina Lena Kate Jane Mary Sue Poppy Holly Penny Elsa
Freya Greta Hazel Iris June Kira Leila Mona Nell Opal Pia Rosa Tina Uma Vera Wendy Yara Zara Amina
Bella Chloe Dora Elena Fatima Gwen Heidi Isla Jenny Kim Lola Maria Naomi Priya Rita Sita Tara Aisha
Mei Yuki Ines Olga Carmen Marta Paula Lina""".split()

BOYS = """Tom Ben Max Sam Tim Jack Leo Finn Noah Oscar Henry Theo Luke Adam Dan Will Jake Peter Paul
Hugo Felix Milo Otto Ned Toby Charlie George James Oliver Ethan Liam Jacob Owen Simon Martin Nick
Alex Andy Billy Bobby Carl David Eli Frank Gus Harry Ivan Jonah Kai Lars Mark Neil Omar Pablo Ravi
Rob Sean Ted Victor Walter Yusuf Zack Arlo Basil Cyrus Diego Emil Fred Gabe Hassan Isaac Joe Kofi
Louis Mateo Nico Oskar Raj Tariq Anton Bruno Ken Hiro Ali Jin""".split()

PETS = """Pip Bramble Pepper Biscuit Nibbles Hazel Bumble Clover Dusty Fern Ginger Honey Inky Jasper
Kiki Lulu Momo Nutmeg Olive Patch Quill Rusty Sandy Tansy Twig Velvet Whiskers Ziggy Button Coco
Dapple Echo Flick Goldie Hopper Jinx Kipper Lolly Maple Noodle Oats Pebble Raven Scout Tumble Willow
Wisp Acorn Berry Copper Dash Ember Frost Gilly Juniper Kit Moss Nettle Peanut Rufus Shadow Thistle
Bubbles Coral Finley Marlin Nemi Pearl Ripple Sunny Tidey Wally Splash Misty Sparky Bolt Tick Milly
Squeak Freckle Smudge Waffle Pickle Muffin Barley Sorrel Teasel Bracken""".split()

START = "B Br C Cl D Dr F Fl G Gr H J K Kl L M N P Pr Qu R S Sh T Th Tr V W Y Z".split()
MIDDLE = "a e i o u a e i o ee oo ai".split()
END = "l n r b d m p x z ly ra na bo ko lin mo per dle ky tta zzle ffy ster nny bin dor".split()


def invented(rng):
    """A name nobody has: so that names are copied, not only known."""
    name = rng.choice(START) + rng.choice(MIDDLE) + rng.choice(END)
    if len(name) < 4:
        name += rng.choice(("a", "o", "y", "en", "i"))
    return name


SMALL = """little small tiny young brave clever gentle curious shy kind cheerful quiet lonely funny
friendly sleepy hungry proud playful lazy busy silly merry careful""".split()
OLD = "old wise kind gentle grey big friendly patient".split()
COLOURS = "red blue green yellow golden silver white black purple orange pink brown".split()

# Things to have and to lose: noun and what it may be like.
THINGS = [
    ("ball", "red blue bouncy new round"), ("kite", "red yellow striped paper"),
    ("hat", "woolly straw blue funny"), ("scarf", "long red warm striped"),
    ("bell", "little silver brass shiny"), ("button", "shiny gold round blue"),
    ("drum", "tin small loud painted"), ("key", "golden rusty tiny old"),
    ("lantern", "small paper old bright"), ("book", "old big blue favourite"),
    ("shell", "pink white spiral smooth"), ("toy boat", "wooden red little"),
    ("whistle", "silver wooden tin"), ("ring", "gold silver tiny"), ("coin", "gold silver shiny"),
    ("blanket", "soft warm blue old"), ("spoon", "wooden silver long"), ("basket", "big straw round"),
    ("umbrella", "red spotted big yellow"), ("necklace", "silver pearl pretty"),
    ("mitten", "red woolly warm"), ("feather", "white long blue"), ("marble", "glass green shiny"),
    ("music box", "old tiny wooden"), ("flute", "wooden silver thin"), ("doll", "rag small pretty"),
    ("teddy bear", "soft old brown"), ("toy car", "fast red little"), ("crown", "paper gold little"),
    ("paintbrush", "long thin old"), ("watch", "gold shiny old"), ("cup", "blue tiny painted"),
    ("map", "old torn secret"), ("bucket", "red tin blue"), ("wagon", "red wooden little"),
    ("mirror", "small round silver"), ("pillow", "soft white big"), ("telescope", "brass long old"),
    ("puzzle", "wooden big hard"), ("pencil", "green short magic"), ("stone", "smooth white shiny round"),
    ("star", "paper gold little"), ("boot", "muddy red big"), ("clock", "old loud round"),
]
SEA_THINGS = [
    ("pearl", "white shiny round"), ("shell", "pink spiral smooth"), ("bottle", "green glass old"),
    ("coin", "gold shiny old"), ("bell", "silver rusty small"), ("comb", "silver coral pretty"),
    ("ring", "gold silver tiny"), ("spoon", "silver rusty long"), ("stone", "smooth blue shiny"),
    ("necklace", "coral pearl pretty"), ("key", "golden rusty tiny"), ("mirror", "small round old"),
    ("lantern", "glowing small blue"), ("flute", "shell thin white"), ("crown", "coral lost gold"),
]
FOODS = [
    ("cake", "big chocolate honey carrot", False), ("pie", "apple berry warm", False),
    ("cookies", "oat warm sweet", True), ("berries", "red sweet juicy", True),
    ("apples", "red crunchy sweet", True), ("bread", "fresh warm brown", None),
    ("soup", "hot tasty vegetable", None), ("pancakes", "fluffy warm", True),
    ("nuts", "tasty crunchy", True), ("sandwich", "cheese big tasty", False),
    ("plums", "ripe purple sweet", True), ("honey", "golden sweet", None),
    ("pears", "ripe yellow juicy", True), ("muffins", "blueberry warm little", True),
    ("cheese", "yellow tasty", None), ("porridge", "hot creamy", None),
    ("melon", "big juicy ripe", False), ("carrots", "crunchy orange", True),
]
SEA_FOODS = [
    ("seaweed cake", "green big", False), ("sea grapes", "sweet round green", True),
    ("kelp noodles", "long tasty", True), ("seaweed soup", "warm salty", None),
    ("plankton pie", "fresh tasty", False), ("seaweed rolls", "crunchy fresh", True),
]

HAPPY = "happy glad proud pleased joyful delighted cheerful".split()
SAD = "sad unhappy worried upset gloomy".split()
AFRAID = "afraid scared frightened nervous worried".split()
TIMES = ["one day", "one morning", "one afternoon", "one sunny day", "one fine day",
         "one rainy afternoon", "one evening", "early one morning", "one spring day",
         "one summer morning", "one autumn day", "one quiet Sunday", "one windy day",
         "one bright morning", "one Saturday", "one warm evening", "last summer", "on a cold morning"]
