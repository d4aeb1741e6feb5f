"""How stories end, and what people ask for when they want one."""

ENDS = [
    "From that day on, {h} knew that {moral}.", "And so {h} learned that {moral}.", "{h} learned that {moral}.",
    "That day, {h} learned that {moral}.", "{h} never forgot that {moral}.", "And everyone knew that {moral}.",
]
TO_ENDS = ["From that day on, {h} remembered {moral}.", "{h} learned {moral}.", "That day, {h} learned {moral}."]
CLOSES = [
    "That night, {h} fell asleep with a smile.", "And {h} was {happy}.", "It was a day that {h} would never forget.",
    "Then {h} {h.went} home, tired and {happy}.", "The sun went down, and the day was over.", "The stars came out, and all was well.",
    "And they all lived happily ever after.", "And if you pass by {place}, you may still hear about it today.",
    "What a day it had been!", "{h} smiled and looked up at the sky.",
]
ASKS = [
    "[Tell me|Tell us|Please tell me] a [|short |little |bedtime |funny |nice ]story about {about}",
    "[Write|Write me|Please write] a [|short |little |happy ]story about {about}",
    "A story about {about}", "Can you tell me a story about {about}?", "I want to hear a story about {about}",
    "Story: {title}", "{title}",
]
TITLES = {
    "lost_and_found": "Lost and Found", "sharing": "Enough for Two", "storm": "The Big Storm",
    "journey": "The Long Way", "mystery": "The Mystery", "wish": "The Wish", "fallen_star": "The Little Star",
    "treasure": "The Old Map", "bedtime": "The Night Without Sleep", "contest": "The Contest", "seed": "The Seed",
    "invention": "A Good Idea", "fear": "Being Brave", "music": "The Song", "pet": "A New Pet", "new_friend": "A New Friend",
}


def finish(s, moral):
    """The last sentences."""
    roll = s.rng.random()
    if not moral:  # All is said.
        return
    if roll < 0.6:
        s.slots["moral"] = s.rng.choice(moral)
        s.say(*(TO_ENDS if s.slots["moral"].startswith(("to ", "not to ", "never to ")) else ENDS))
        s.maybe(0.2, *CLOSES)
    elif roll < 0.85:
        s.say(*CLOSES)
    s.maybe(0.12, "The end.")


def ask(s, plot):
    """What someone may have asked for: words before the story."""
    hero = s.hero
    kind = f"{hero.adjective} {hero.kind}" if hero.adjective and s.rng.random() < 0.5 else hero.kind
    about = f"a {kind}"
    if hero.name and s.rng.random() < 0.3:
        about = s.rng.choice((hero.name, f"a {kind} named {hero.name}"))
    friend = s.slots.get("f")
    if friend and s.rng.random() < 0.4:
        about += f" and a {friend.kind}"
    titles = [f"The {kind.title()}"]
    if plot in TITLES:
        titles.append(TITLES[plot])
    if plot == "lost_and_found":
        titles.append(f"The Lost {s.slots['o'].noun.title()}")
    if friend:
        titles.append(f"The {hero.kind.title()} and the {friend.kind.title()}")
    s.slots["about"], s.slots["title"] = about, s.rng.choice(titles)
    template = s.rng.choice(ASKS)
    asked = s.render(template)
    ends = asked.endswith("?") or "title" in template or s.rng.random() < 0.4
    return asked if ends else asked + "."
