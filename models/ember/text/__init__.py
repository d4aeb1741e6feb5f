"""The text ember is trained on: stories made by a grammar, all of it in this folder."""

import random

from . import plots_deeds, plots_friends, plots_wonders
from .begin import begin
from .end import ask, finish
from .story import Story
from .telling import tidy

PLOTS = plots_friends.PLOTS + plots_deeds.PLOTS + plots_wonders.PLOTS

# Plots that go well with a friend who is there from the beginning.
TOGETHER = """lost_and_found sharing apology surprise sick_friend fear invention storm journey mystery
treasure mess""".split()


def story(number, seed=1):
    """Story `number`: always the same one."""
    rng = random.Random(seed * 1_000_003 + number)
    s = Story(rng)
    plot = rng.choice(PLOTS)
    s.prepare()
    begin(s, plot.__name__ in TOGETHER)
    s.introduced()
    s.paragraph(0.2)
    s.moral = None
    plot(s)
    finish(s, s.moral)
    text = s.text()
    if s.hero.gender != "I" and rng.random() < 0.09:
        text = tidy(ask(s, plot.__name__)) + "\n\n" + text
    return text
