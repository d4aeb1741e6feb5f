"""A story's cast and setting, and how it begins and ends. What happens between is in `plots`."""

from .telling import Telling, Thing, Who, tidy
from .words import (AFRAID, BOYS, COLOURS, FOODS, GIRLS, HAPPY, OLD, PETS, SAD, SEA_FOODS, SEA_THINGS,
                    SMALL, THINGS, TIMES, invented)
from .worlds import WORLDS

WE = {"they": "we", "them": "us", "their": "our", "themselves": "ourselves"}
WOMEN = tuple("woman princess queen witch fairy mermaid milkmaid grandmother hen cow doll hood".split())
MEN = tuple("prince king knight wizard rooster man boy jester".split())
BREAKS = """kite drum lantern toy boat whistle basket umbrella necklace marble music box flute doll toy car
cup wagon mirror telescope clock watch pencil crown shell bottle comb""".split() + ["toy boat", "music box", "toy car"]
MADE = "cake pie cookies bread soup pancakes sandwich muffins porridge".split()
HOUSES = ["a small house", "a little white house", "a house with a red roof", "a cosy little house", "a cottage"]
NOT_FOR_CHILDREN = ("shelf", "box", "bush", "pond full", "waves", "barn", "window of", "spaceship")


class Story(Telling):
    """One story on its way."""

    def __init__(self, rng):
        super().__init__(rng)
        self.world = world = rng.choice(WORLDS)
        self.sea = world["sea"]
        self.names, self.kinds = set(), set()
        self.friends = False
        self.slots.update({
            "where": world["where"], "ways": world["ways"], "sight": world["sights"],
            "folk": world["folk"], "world": world["name"], "day": TIMES,
            "fwere": "was" if world["folk"].startswith("everyone") else "were",
            "home": rng.choice(world["homes"]), "happy": HAPPY, "sad": SAD, "afraid": AFRAID,
            "colour": COLOURS, "place": rng.choice(world["places"]),
        })
        spots = rng.sample(world["spots"], 5)
        self.slots.update({f"spot{i}": spot for i, spot in enumerate(spots)}, spot=spots[0])
        first_person = not self.sea and rng.random() < 0.05
        self.hero = self.slots["h"] = self._hero(first_person)
        if self.hero.kind in ("boy", "girl", "child"):
            self.slots["where"] = [w for w in world["where"] if not any(x in w for x in NOT_FOR_CHILDREN)]
            if world["name"] not in ("the village", "the kingdom", "the beach", "space", "the mountains"):
                self.slots["home"] = rng.choice(HOUSES)
        for word, ours in WE.items():
            self.slots[word] = ours if first_person else word
        possessive = {"m": "his", "f": "her", "I": "my"}[self.hero.gender]
        parent, gender = rng.choice((("mother", "f"), ("mother", "f"), ("father", "m"),
                                     ("grandmother", "f"), ("grandfather", "m")))
        self.slots["m"] = Who(parent, gender, title=f"{possessive} {parent}")
        self.slots["parent"] = parent

    def prepare(self):
        """What plots may need and only the cast can say."""
        rng = self.rng
        self.slots["place"], self.slots["place2"] = rng.sample(self.world["places"], 2)
        self.slots["goal"] = rng.choice(["a silver boat", "flying over the clouds", "a garden of stars"])

    def introduced(self):
        """What only the beginning could say."""
        self.slots["iam"] = f"My name is {self.hero.name}." if self.hero.name else "I live near here."

    # Casting.

    def _hero(self, first_person):
        if first_person:
            return Who("child", "I")
        roll, child = self.rng.random(), self.world["child"]
        if roll < child:
            return self.child()
        if self.world["people"] and roll < child + 0.2 * (1 - child):
            return self.being(self.world["people"], SMALL, 0.5)
        return self.being(self.world["kinds"], SMALL, 0.75)

    def name(self, names):
        while True:
            name = invented(self.rng) if self.rng.random() < 0.12 else self.rng.choice(names)
            if name not in self.names:
                self.names.add(name)
                return name

    def child(self, gender=None):
        gender = gender or self.rng.choice("mf")
        kind = {"m": "boy", "f": "girl"}[gender]
        if kind in self.kinds:
            gender, kind = {"m": ("f", "girl"), "f": ("m", "boy")}[gender]
        self.kinds.add(kind)
        adjective = self.rng.choice(SMALL) if self.rng.random() < 0.7 else None
        return Who(kind, gender, self.name(GIRLS if gender == "f" else BOYS), adjective)

    def being(self, kinds, adjectives, named):
        while True:
            kind, _, moves = self.rng.choice(kinds).partition(":")
            if kind not in self.kinds:
                break
        self.kinds.add(kind)
        gender = "f" if kind.endswith(WOMEN) else "m" if kind.endswith(MEN) else self.rng.choice("mf")
        name = self.name(PETS + (GIRLS if gender == "f" else BOYS)[:30]) if self.rng.random() < named else None
        adjective = self.rng.choice(adjectives) if self.rng.random() < 0.75 else None
        if adjective and adjective in kind:
            adjective = None
        return Who(kind, gender, name, adjective, moves or "walk")

    def friend(self, slot="f", named=0.6):
        """Another one of the story, much like the hero."""
        if self.hero.kind in ("boy", "girl", "child") and self.rng.random() < 0.45 and not self.sea:
            who = self.child()
        else:
            who = self.being(self.world["kinds"], SMALL, named)
        self.slots[slot] = who
        return who

    def elder(self, slot="w"):
        """Someone who knows more."""
        self.slots[slot] = who = self.being(self.world["wise"] + self.world["kinds"][:3], OLD, 0.25)
        return who

    def thing(self, slot="o", breaks=False):
        things = [t for t in SEA_THINGS if not breaks or t[0] in BREAKS] if self.sea else [
            t for t in THINGS if not breaks or t[0] in BREAKS]
        noun, adjectives = self.rng.choice(things)
        self.slots[slot] = Thing(noun, self.rng.choice(adjectives.split()))

    def food(self, slot="e", made=False):
        foods = SEA_FOODS if self.sea else [f for f in FOODS if not made or f[0] in MADE]
        noun, adjectives, many = self.rng.choice(foods)
        thing = Thing(noun, self.rng.choice(adjectives.split()), bool(many))
        if many is None:  # No article: some bread.
            thing.form = lambda form, rng, plain=Thing.form: (
                f"some {thing.adjective} {noun}" if form == "a" else plain(thing, form, rng))
        self.slots[slot] = thing

    # Telling.

    def say(self, *templates):
        """Tells one of these."""
        self.slots["way"] = self.rng.choice(self.world["ways"])
        self.parts.append("^" + self.render(self.rng.choice(templates)))

    def maybe(self, chance, *templates):
        if self.rng.random() < chance:
            self.say(*templates)

    def paragraph(self, chance=0.4):
        if self.rng.random() < chance:
            self.parts.append("\n\n")

    def text(self):
        return tidy(" ".join(self.parts).replace(" \n\n ", "\n\n"))
