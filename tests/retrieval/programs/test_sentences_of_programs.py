"""Sentences of programs of every operation over tiny graphs."""

import pytest

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import (
    EVERY,
    And,
    Arithmetic,
    Constant,
    Count,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Holds,
    KeyOf,
    Operation,
    Or,
    Top,
    Walk,
)

from .land import FACTS, programs
from .saying import World, make_rows

COUNTRIES = {
    "Germany": {"type": "country", "continent": "Europe", "borders": "France, Chad", "capital": "Berlin"},
    "France": {"type": "country", "continent": "Europe", "borders": "Germany", "population": "68,000,000"},
    "Chad": {"type": "country", "continent": "Africa", "borders": "Niger", "population": "17,700,000"},
    "Niger": {"type": "country", "continent": "Africa", "borders": "Chad", "population": "27,200,000"},
    "Fiji": {"type": "country", "continent": "Oceania", "population": "900,000"},
}
PEOPLE = {
    "Ada": {"type": "person", "works at": "Acme", "race": "elf", "home town": "Lorn", "directed": "Jaws"},
    "Bo": {"type": "person", "works at": "Acme", "race": "elf", "home town": "Lorn", "birth year": "1450"},
    "Cy": {"type": "person", "works at": "Bolt", "race": "orc", "birth year": "1620", "alive": "no"},
}
PRODUCTS = {
    "Coffee": {"type": "product", "price (gbp)": "6.20", "hardy": "yes", "made on": "2024-04-03", "maker": "Ann"},
    "Tea": {"type": "product", "price (gbp)": "3.60", "hardy": "no", "made on": "2024-04-20", "maker": "Ann"},
    "Rice": {"type": "product", "price (gbp)": "1.10", "hardy": "yes", "made on": "2024-06-05", "maker": "Bea"},
    "Salt": {"type": "product", "price (gbp)": "1.10", "seats": "25", "crater lake": "yes", "stock": "3"},
}


@pytest.fixture(scope="module")
def countries(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(make_rows(COUNTRIES), tmp_path_factory.mktemp("countries") / "graph")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(make_rows(PEOPLE), tmp_path_factory.mktemp("people") / "graph")


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(make_rows(PRODUCTS), tmp_path_factory.mktemp("products") / "graph")


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(FACTS, tmp_path_factory.mktemp("atlas") / "graph")


def test_every_operation_has_a_sentence(atlas: World) -> None:
    for asks, program in programs(atlas).items():
        _, final = atlas.run(program)
        assert bool(final.sentence) == bool(final.answers), asks


def test_a_count_says_how_many_of_what(countries: World) -> None:
    world, all_ = countries, countries.of_kind("country")
    in_africa = world.walk(world.e("Africa"), "-continent")
    assert world.say(Count(all_)) == "There are 5 countries."
    assert world.say(Count(And(all_, in_africa))) == "2 countries are in Africa."
    assert world.say(Count(And(all_, world.walk(world.e("Germany"), "borders")))) == "2 countries border Germany."
    assert world.say(Count(And(all_, world.walk(world.e("Niger"), "-borders")))) == "1 country borders Niger."
    assert (
        world.say(Count(And(in_africa, world.walk(world.e("France"), "borders"))))
        == "None are in Africa and border France."
    )
    assert world.say(Count(world.walk(world.e("Germany"), "borders"))) == "Germany borders 2."
    assert world.say(Count(world.walk(And(all_, in_africa), "continent"))) == "2 countries in Africa have 1 continent."


def test_a_count_without_a_kind_says_what_they_do(people: World) -> None:
    world = people
    assert world.say(Count(world.walk(world.e("elf"), "-race"))) == "2 have the race elf."
    assert world.say(Count(world.walk(world.e("Acme"), "-works at"))) == "2 work at Acme."
    assert world.say(Count(world.walk(world.e("Ada"), "directed"))) == "Ada directed 1."


def test_a_ranking_says_the_value_and_among_how_many(countries: World) -> None:
    world, population = countries, countries.key("population")
    all_ = world.of_kind("country")
    african = And(all_, world.walk(world.e("Africa"), "-continent"))
    largest = "Niger, 27,200,000: the largest population of 2 countries in Africa."
    assert world.say(Top(african, population, largest=True)) == largest
    second = "Chad, 17,700,000: the second largest population of 2 countries in Africa."
    assert world.say(Top(african, population, largest=True, rank=2)) == second
    two = "France and Niger: the 2 with the largest population of 5 countries."
    assert world.say(Top(all_, population, largest=True, count=2)) == two
    bordered = world.key("borders", counted=True)
    assert world.say(Top(all_, bordered, largest=True)) == "Germany, 2: the most borders of 5 countries."
    each = "Number of borders: Germany 2, Chad 1, France 1 and 2 others."
    assert world.say(Top(all_, bordered, largest=True, count=EVERY)) == each
    groups = (
        "Of each continent the one with the largest population: France (Europe, 68,000,000), "
        "Niger (Africa, 27,200,000) and Fiji (Oceania, 900,000)."
    )
    assert world.say(Top(all_, population, largest=True, per=(world.r("continent"),))) == groups


def test_prices_are_high_and_counted_things_many(products: World) -> None:
    world, all_, price = products, products.of_kind("product"), products.key("price (gbp)")
    assert world.say(Top(all_, price, largest=True)) == "Coffee, £6.20: the highest price of 4 products."
    assert world.say(Top(all_, world.key("seats"), largest=True)) == "Salt, 25: the most seats of 4 products."
    assert world.say(Top(Having(world.r("-maker")), world.key("-maker", counted=True), largest=True)) == (
        "Ann, 2: the most of 2 makers."
    )


def test_sets_say_who_is_in_them(people: World) -> None:
    world = people
    elves = world.walk(world.e("elf"), "-race")
    from_lorn = world.walk(world.e("Lorn"), "-home town")
    assert world.say(And(elves, from_lorn)) == "Ada and Bo have the race elf and the home town Lorn."
    assert world.say(And(world.of_kind("person"), elves)) == "2 people whose race is elf: Ada and Bo."
    assert world.say(world.walk(world.e("Acme"), "-works at")) == "Ada and Bo work at Acme."
    assert world.say(world.walk(world.e("Ada"), "race")) == "The race of Ada is elf."
    assert world.say(world.walk(world.e("Ada"), "works at")) == "Ada works at Acme."
    assert world.say(world.walk(from_lorn, "race")) == "The race of the 2 whose home town is Lorn: elf."
    born = Filter(Having(world.r("birth year")), world.key("birth year"), Comparison.LESS, Constant(1500))
    assert world.say(born) == "Bo has a birth year before 1500."
    kept = And(world.e("Ada", "Bo", "Cy"), elves)
    assert world.say(kept) == "2 of the 3: Ada and Bo."
    assert world.say(Except(world.of_kind("person"), elves)) == "1 person whose race is not elf: Cy."
    assert (
        world.say(Except(world.of_kind("person"), Having(world.r("alive")))) == "2 people without an alive: Ada and Bo."
    )
    nobody = Except(world.of_kind("person"), world.walk(world.e("Acme"), "-works at"))
    assert world.say(nobody) == "1 person that does not work at Acme: Cy."


def test_sets_of_sets_are_put_in_words(countries: World) -> None:
    world, all_ = countries, countries.of_kind("country")
    africans = world.walk(world.e("Africa"), "-continent")
    neighbours = And(all_, Walk(And(all_, africans), world.r("borders")))
    assert world.say(neighbours) == "2 countries that border one of 2 countries in Africa: Chad and Niger."
    largest = Top(all_, world.key("population"), largest=True)
    assert (
        world.say(Walk(largest, world.r("continent")))
        == "The continent of the country with the largest population: Europe."
    )
    either = Or(world.walk(world.e("France"), "borders"), world.walk(world.e("Niger"), "borders"))
    assert world.say(either) == "Chad and Germany: the 2 that border France or that border Niger."


def test_values_of_several_things_are_told_with_whose_they_are(countries: World) -> None:
    world = countries
    told = world.say(world.walk(world.e("Chad", "Niger"), "population"))
    assert told in (
        "Population: Chad 17,700,000 and Niger 27,200,000.",
        "Population: Niger 27,200,000 and Chad 17,700,000.",
    )
    _, final = world.run(world.walk(world.e("Chad", "Germany"), "continent"))
    assert final.sentence in (
        "Continents: Africa (Chad) and Europe (Germany).",
        "Continents: Europe (Germany) and Africa (Chad).",
    )
    assert {answer.label: answer.owner for answer in final.answers} == {"Africa": "Chad", "Europe": "Germany"}


def test_filters_are_told_in_words(products: World) -> None:
    world, all_ = products, products.of_kind("product")

    def filtered(column: str, comparison: Comparison, value: float) -> str | None:
        return world.say(Filter(all_, world.key(column), comparison, Constant(value)))

    assert filtered("price (gbp)", Comparison.MORE, 3.5) == "2 products with a price over £3.50: Coffee and Tea."
    assert filtered("seats", Comparison.AT_LEAST, 25) == "1 product with at least 25 seats: Salt."
    assert filtered("made on", Comparison.MORE, 2023) == "3 products made after 2023: Coffee, Rice and Tea."
    hardy = world.walk(world.e("yes"), "-hardy")
    assert world.say(And(all_, hardy)) == "2 products that are hardy: Coffee and Rice."
    assert world.say(Count(Except(all_, hardy))) == "2 products are not hardy."
    lake = world.walk(world.e("yes"), "-crater lake")
    assert world.say(And(all_, lake)) == "1 product with a crater lake: Salt."
    period = Filter(all_, world.key("price (gbp)"), Comparison.AT_LEAST, Constant(3))
    between = Filter(period, world.key("price (gbp)"), Comparison.AT_MOST, Constant(5))
    assert world.say(between) == "1 product with a price from £3 to £5: Tea."


def test_yes_and_no_say_what_is_so(countries: World, people: World, products: World) -> None:
    world = countries
    capital = world.walk(world.e("Germany"), "capital")
    assert world.say(Exists(And(world.e("Berlin"), capital))) == "Yes: Berlin is the capital of Germany."
    wrong = "No: France is not the capital of Germany. The capital of Germany is Berlin."
    assert world.say(Exists(And(world.e("France"), capital))) == wrong
    assert world.say(Exists(And(world.e("France"), world.of_kind("country")))) == "Yes: France is a country."
    assert world.say(Exists(And(world.walk(world.e("Germany"), "borders"), world.e("France")))) == (
        "Yes: France borders Germany."
    )
    assert world.say(Exists(And(world.walk(world.e("Germany"), "borders"), world.e("Fiji")))) == (
        "No: Fiji does not border Germany. Germany borders Chad and France."
    )
    more = Filter(world.of_kind("country"), world.key("population"), Comparison.MORE, Constant(5e7))
    assert world.say(Exists(more)) == "Yes: there is 1 country with a population over 50,000,000."
    cy = people.e("Cy")
    assert people.say(Exists(And(people.walk(cy, "alive"), people.e("no")))) == "Yes: Cy is not alive."
    assert people.say(Exists(And(cy, people.walk(people.e("elf"), "-race")))) == "No: Cy does not have the race elf."
    over = Filter(products.e("Tea"), products.key("price (gbp)"), Comparison.MORE, Constant(5))
    assert products.say(Exists(over)) == "No: the price of Tea is £3.60."


def test_two_numbers_are_compared(countries: World) -> None:
    world, population = countries, countries.key("population")
    chad, niger = (KeyOf(world.e(name), population) for name in ("Chad", "Niger"))
    assert world.say(Holds(niger, Comparison.MORE, chad)) == (
        "Yes: the population of Niger, 27,200,000, is more than that of Chad, 17,700,000."
    )
    assert world.say(Holds(chad, Comparison.MORE, Constant(2e7))) == (
        "No: the population of Chad, 17,700,000, is not more than 20,000,000."
    )


def test_sums_and_averages_say_what_they_are_of(products: World, countries: World) -> None:
    all_, price = products.of_kind("product"), products.key("price (gbp)")
    assert products.say(Fold(Folding.SUM, all_, price)) == "The total price of 4 products is £12."
    assert products.say(Fold(Folding.AVERAGE, all_, price)) == "The average price of 4 products is £3."
    by_ann = products.walk(products.e("Ann"), "-maker")
    assert products.say(Fold(Folding.SUM, by_ann, price)) == "The total price of the 2 whose maker is Ann is £9.80."
    stock = products.key("stock", times=(products.r("price (gbp)"),))
    assert products.say(Fold(Folding.SUM, all_, stock)) == "The total of stock times price of 4 products is £3.30."
    assert (
        countries.say(KeyOf(countries.e("Chad"), countries.key("population")))
        == "The population of Chad is 17,700,000."
    )


def test_calculations_say_what_is_computed(products: World, countries: World) -> None:
    price = products.key("price (gbp)")
    tea, coffee = (KeyOf(products.e(name), price) for name in ("Tea", "Coffee"))
    six = Arithmetic(Operation.PRODUCT, tea, Constant(6, text="6"))
    assert products.say(six) == "6 times the price of Tea, £3.60, is £21.60."
    assert products.say(Arithmetic(Operation.RATIO, coffee, Constant(2, text="2"))) == (
        "The price of Coffee, £6.20, divided by 2 is £3.10."
    )
    assert products.say(Arithmetic(Operation.DIFFERENCE, coffee, tea)) == (
        "The price of Coffee is £2.60 more than that of Tea."
    )
    assert products.say(Arithmetic(Operation.DIFFERENCE, Constant(230), Constant(135))) == (
        "The difference of 230 and 135 is 95."
    )
    made = products.key("made on")
    start, end = (KeyOf(products.e(name), made) for name in ("Coffee", "Tea"))
    assert products.say(Arithmetic(Operation.DAYS, start, end)) == (
        "17 days lie between the made on of Coffee, 3 April 2024, and that of Tea, 20 April 2024."
    )
    all_ = products.of_kind("product")
    first, last = (Fold(how, all_, made) for how in (Folding.LEAST, Folding.MOST))
    assert products.say(Arithmetic(Operation.DAYS, first, last)) == (
        "63 days lie between the earliest and the latest made on of 4 products: 3 April 2024 and 5 June 2024."
    )
    hardy = And(all_, products.walk(products.e("yes"), "-hardy"))
    share = Arithmetic(Operation.SHARE, Count(hardy), Count(all_))
    assert products.say(share) == "2 of 4 products are hardy: 50%."


def test_steps_and_answers_have_values_in_their_units(products: World) -> None:
    executed, final = products.run(Fold(Folding.SUM, products.of_kind("product"), products.key("price (gbp)")))
    assert [(step.operation, step.display) for step in executed.steps] == [("Walk", ""), ("Fold", "£12")]
    assert [answer.display for answer in final.answers] == ["£12"]
    ranked, _ = products.run(Top(products.of_kind("product"), products.key("price (gbp)"), largest=True))
    assert [value.display for value in ranked.ranked[:2]] == ["£6.20", "£3.60"]
