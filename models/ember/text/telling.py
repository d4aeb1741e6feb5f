"""How a story is told: templates, who is meant by a pronoun, who says what.

A template is plain text with
  [a|b|]        one of these, possibly nothing; they nest
  {h} {h.o}     a mention of someone or something of the story, see `Who` and `Thing`
  <h:Come in.>  someone speaks; <h asked:Why?> says how
  ^             a sentence starts here, where a quote before it leaves that open
No words of the stories live here, except the verbs of speaking.
"""

import re
from functools import lru_cache

PRONOUNS = {
    "m": ("he", "him", "his", "himself"),
    "f": ("she", "her", "her", "herself"),
    "I": ("I", "me", "my", "myself"),
}


class Who:
    """Someone of a story: named or not, and how they move."""

    def __init__(self, kind, gender, name=None, adjective=None, moves="walk", title=None):
        self.kind, self.gender, self.name, self.adjective = kind, gender, name, adjective
        self.moves, self.title = moves, title
        self.known = False

    def definite(self, rng):
        """What they are called once they are known."""
        if self.title:
            return self.title
        if self.name and rng.random() < 0.8:
            return self.name
        if self.adjective and rng.random() < 0.35:
            return f"the {self.adjective} {self.kind}"
        return f"the {self.kind}"

    def introduced(self, rng):
        if self.title:
            return self.title
        words = f"{self.adjective} {self.kind}" if self.adjective else self.kind
        if not self.name:
            return f"a {words}"
        called = rng.choice(("named", "called", "named", "whose name was"))
        return f"a {words} {called} {self.name}"

    def call(self):
        if self.gender == "I":
            return "my friend"
        if self.title:
            return self.title[0].upper() + self.title[1:]
        return self.name or f"{self.adjective or 'dear'} {self.kind}"


class Thing:
    """Something of a story; `many` for plurals."""

    def __init__(self, noun, adjective=None, many=False):
        self.noun, self.adjective, self.many = noun, adjective, many

    def form(self, form, rng):
        full = f"{self.adjective} {self.noun}" if self.adjective else self.noun
        if form == "a":
            return f"some {full}" if self.many else f"a {full}"
        if form == "full":
            return full
        if form == "n":
            return self.noun
        if form == "the":
            return f"the {full}" if rng.random() < 0.3 else f"the {self.noun}"
        single, plural = {
            "it": ("it", "them"), "was": ("was", "were"), "is": ("is", "are"),
            "this": ("this", "these"), "s": ("s", ""), "its": ("it", "they"),
            "that": ("that", "those"), "one": ("it", "they"), "has": ("has", "have"),
        }[form]
        return plural if self.many else single


@lru_cache(maxsize=None)
def parse(template):
    nodes, rest = _sequence(template, 0, "")
    assert rest == len(template), template
    return nodes


def _sequence(text, at, until):
    """Nodes up to a character of `until`: strings, ("or", options), ("slot", s), ("say", ...)."""
    nodes, plain = [], []

    def flush():
        if plain:
            nodes.append("".join(plain))
            plain.clear()

    while at < len(text) and text[at] not in until:
        c = text[at]
        if c == "[":
            flush()
            options = []
            while True:
                option, at = _sequence(text, at + 1, "|]")
                options.append(option)
                if text[at] == "]":
                    break
            nodes.append(("or", options))
            at += 1
        elif c == "{":
            flush()
            end = text.index("}", at)
            nodes.append(("slot", text[at + 1:end]))
            at = end + 1
        elif c == "<":
            flush()
            colon = text.index(":", at)
            speech, end = _sequence(text, colon + 1, ">")
            who, _, verb = text[at + 1:colon].partition(" ")
            nodes.append(("say", who, verb, speech))
            at = end + 1
        else:
            plain.append(c)
            at += 1
    flush()
    return nodes, at


SAYING = {
    "?": ("asked",),
    "!": ("cried", "shouted", "said", "said"),
    ".": ("said",),
}
ANSWERING = ("said", "said", "answered", "replied")
WENT = {
    "walk": ("went", "walked", "ran", "hurried", "set off", "wandered"),
    "swim": ("swam", "swam", "hurried", "set off", "glided"),
    "fly": ("flew", "flew", "fluttered", "hurried", "set off"),
}


class Telling:
    """Renders templates one after the other, and remembers who was mentioned when."""

    def __init__(self, rng):
        self.rng, self.slots, self.parts = rng, {}, []
        self.sentence, self.seen, self.first = 0, {}, None
        self.asked = None

    def render(self, template):
        return "".join(self._render(parse(template)))

    def _render(self, nodes):
        for node in nodes:
            if isinstance(node, str):
                self._ends(node)
                yield node
            elif node[0] == "or":
                yield from self._render(self.rng.choice(node[1]))
            elif node[0] == "slot":
                yield self._slot(node[1])
            else:
                yield self._say(*node[1:])

    def _ends(self, text):
        ends = len(re.findall(r"[.!?](?=\s|$|\")", text))
        if ends:
            self.sentence += ends
            self.first = None

    def _slot(self, slot):
        name, _, form = slot.partition(".")
        value = self.slots[name]
        if isinstance(value, Who):
            return self._mention(value, form)
        if isinstance(value, Thing):
            return value.form(form or "the", self.rng)
        if isinstance(value, (list, tuple)):
            value = self.rng.choice(value)
        return self.render(value) if any(c in value for c in "[{<") else value

    def _mention(self, who, form):
        if form == "call":
            return who.call()
        if form == "kind":
            return who.kind
        if form == "was":
            return "was"
        if form == "went":
            return self.rng.choice(WENT[who.moves])
        if form == "s":
            self.seen[id(who)] = (self.sentence, who)
            self.first = self.first or who
            return PRONOUNS[who.gender][0]
        if form in ("n", "t", "b"):
            return self._first_mention(who, form)
        index = {"": 0, "N": 0, "a": 0, "o": 1, "O": 1, "p": 2, "P": 2, "r": 3}[form]
        if who.gender == "I":
            return PRONOUNS["I"][index]
        clear = self._clear(who, index)
        self.seen[id(who)] = (self.sentence, who)
        if self.first is None:
            self.first = who
        if form == "a" and not who.known:
            who.known = True
            return who.introduced(self.rng)
        who.known = True
        # Once a sentence has named someone, it goes on with the pronoun.
        likely = 0.95 if clear == "here" else 0.65
        if form == "r" or (form in ("", "o", "p") and clear and self.rng.random() < likely):
            return PRONOUNS[who.gender][index]
        called = who.definite(self.rng)
        return called + "'s" if index == 2 else called

    def _first_mention(self, who, form):
        """n: by name; t: as "the little fox"; b: as "a little fox" after the name was said."""
        words = f"{who.adjective} {who.kind}" if who.adjective else who.kind
        if form == "b":
            if not who.name:
                words = f"{self.rng.choice(('good', 'kind', 'young', 'happy', 'clever'))} {who.kind}"
            return f"a {words}"
        self.seen[id(who)] = (self.sentence, who)
        self.first = self.first or who
        who.known = True
        if form == "n" and who.name:
            return who.name
        who.name = None  # A name that is never told.
        return who.title or f"the {words}"

    def _clear(self, who, index):
        """Whether a pronoun can only mean this one: "here" if named in this very sentence."""
        last = self.seen.get(id(who), (-9,))[0]
        others = [self.sentence - at for at, other in self.seen.values()
                  if other is not who and other.gender == who.gender and self.sentence - at <= 2]
        if others:
            subject = self.first is who and last == self.sentence
            return "here" if subject and (index == 2 or 0 not in others) else None
        if last == self.sentence:
            return "here"
        return "near" if self.sentence - last <= 2 else None

    def _say(self, who, verb, speech):
        speaker = self.slots[who]
        speech = "".join(self._render(speech)).strip()
        speech = speech[0].upper() + speech[1:]
        first, rest = re.match(r"(.*?[.!?])(?:\s+(.*))?$", speech, re.S).groups()
        by, at = self.asked or (None, -9)
        answering = by not in (None, speaker) and self.sentence - at <= 2 and first[-1] == "."
        self.asked = (speaker, self.sentence) if speech.endswith("?") else None
        verb = verb or self.rng.choice(ANSWERING if answering else SAYING[first[-1]])
        order = self.rng.random()
        if order < 0.2:
            return f'{self._mention(speaker, "")} {verb}, "{speech}"^'
        comma = first[:-1] + "," if first[-1] == "." else first
        if order < 0.6 and speaker.gender != "I" and " " not in verb:
            tag = f"{verb} {self._mention(speaker, 'N')}"
        else:
            tag = f"{self._mention(speaker, '')} {verb}"
        rest = f' "{rest}"^' if rest else ""
        self.sentence += 1
        self.first = None
        return f'"{comma}" {tag}.{rest}'


VOWEL = re.compile(r"\b([Aa]) (?=[\"']?(?:[aeio]|u(?!ni|se|su)|hour|honest))(?!one\b|once\b)")


def tidy(text):
    """Capitals at the starts of sentences, `an` before vowels, single spaces."""
    text = re.sub(r" +", " ", text).strip()
    text = re.sub(r" ([,.!?])", r"\1", text)
    text = re.sub(r"(\^ ?|[.!?] |[.]\" |\n ?|^)(\"?[a-z])", lambda m: m[1] + m[2].upper(), text)
    text = re.sub(r"\n ", "\n", text.replace("^", ""))
    return VOWEL.sub(r"\1n ", text)
