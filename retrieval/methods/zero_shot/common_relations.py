"""What graphs commonly hold of things: how near a question's words are to it tells what this graph lacks.

A word that is near a common relation ("director") and far from every relation of the graph asks for what is not there;
a word that is near neither ("famous") may be the wording. Written from common sense: no question was read for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from retrieval.supervision.path_questions.lexicon import EVENTS, NOUNS, PAST, VERBS

if TYPE_CHECKING:
    from retrieval.linking.features import TextEncoder

_PROPERTIES = """
    name, nickname, title, full name, description, age, birthday, born, birth date, birthplace, place of birth,
    died, death date, place of death, cause of death, burial place, height, weight, length, width, depth, size,
    area, volume, speed, power, colour, shape, material, gender, nationality, religion, ethnicity, profession,
    education, degree, university attended, school, major, field of study, salary, income, net worth, budget,
    revenue, profit, cost, price, fee, tax, discount, rating, score, rank, votes, popularity, awards won,
    nominated for, medal, record, year, date, start date, end date, duration, runtime, opened, closed, founded,
    released, published, recorded, filmed, address, street, postal code, phone number, email, website, time
    zone, latitude, coordinates, elevation, climate, temperature, rainfall, population, density, capital city,
    official language, spoken language, currency, flag, anthem, motto, government, president, prime minister,
    king, mayor, governor, leader, political party, member of, headquarters, located in, part of, contains,
    borders, neighbours, flows into, mouth, source, tributary, crosses, connects, named after, married to,
    spouse, husband, wife, children, son, daughter, father, mother, parents, brother, sister, siblings, friend,
    partner, owner, pet, breed, species, habitat, diet, eats, prey, predator, lifespan, hobby, favourite, plays
    for, coach, captain, stadium, team, league, position played, jersey number, goals scored, opponent, winner,
    loser, champion, tournament, sport, employer, works for, employees, boss, reports to, manager, department,
    job title, office, hired, chief executive, chairman, subsidiary, parent company, investor, supplier,
    customer, product, brand, manufacturer, model, engine, fuel, capacity, ingredients, recipe, cuisine,
    calories, taste, serves, menu, opening hours, director, directed by, screenwriter, written by, producer,
    cast, actors, starring, character, role, genre, plot, theme, soundtrack, music by, composer, lyrics, singer,
    album, track, label, instrument, band, author, publisher, pages, edition, illustrator, translator, editor,
    language, country of origin, artist, painter, style, movement, museum, exhibited in, architect, floors,
    construction, doctor, patient, disease, symptom, treatment, drug, dose, side effect, diagnosis, hospital,
    surgeon, nurse, ward, teacher, teaches, students, course, class, grade, credits, advisor, supervisor, topic,
    cited by, references, conference, journal, doi, abstract, funding, battle, war, ruled, reign, dynasty,
    predecessor, successor, heir, preceded by, followed by, invented by, discovered by, designed by, built by,
    made of, used for, type, category, status, version, license, programming language, operating system, depends
    on, code, symbol, formula, number, quantity, stock, ordered, shipped, delivered, departure, arrival,
    destination, route, stops at, airline, airport, train, platform, ticket, passengers, crew, driver, captain
    of, first appearance, last appearance, episodes, season, network, channel, host, guest, voice, narrator,
    sequel, based on, inspired by, influenced by, known for, famous for, belief, god, church, holiday, festival,
    tradition, weapon, crime, victim, killer, sentence, law, court, judge
"""


def list_common_relations() -> list[str]:
    """Names of common relations, each once."""
    names = dict.fromkeys(" ".join(text.split()) for text in _PROPERTIES.split(","))
    for verb in VERBS.values():
        names.update(dict.fromkeys((verb.base, verb.past, *verb.agents, *verb.also)))
    for noun, others in NOUNS.items():
        names.update(dict.fromkeys((noun, *others)))
    for noun, (_, verb_text) in EVENTS.items():
        names.update(dict.fromkeys((noun, verb_text, PAST.get(verb_text, verb_text))))
    return list(names)


_VECTORS: WeakKeyDictionary[TextEncoder, np.ndarray] = WeakKeyDictionary()


def encode_common_relations(encoder: TextEncoder) -> np.ndarray:
    """Of :func:`list_common_relations`, float32 [n, d]; encoded once."""
    encoded = _VECTORS.get(encoder)
    if encoded is None:
        encoded = _VECTORS[encoder] = encoder.encode(list_common_relations())
    return encoded
