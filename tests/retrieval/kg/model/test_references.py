"""What refers to what between tables, and kinds inside a table."""

import pytest

from retrieval.errors import ConfigError
from retrieval.kg.model.data_model import ModelChoices
from tests.retrieval.kg.model.tables import infer

SUPPLIERS = "supplierID,companyName,city\n1,Exotic Liquids,London\n2,Cajun Delights,Paris\n3,Tokyo Traders,Tokyo\n"
PRODUCTS = "productID,productName,supplierID\n1,Chai,1\n2,Chang,1\n3,Syrup,7\n4,Tofu,3\n5,Gumbo,2\n6,Kelp,9\n"


def list_references(found):
    return {
        (name, one.table.header[ref.column], ref.target, ref.label, ref.matched, ref.filled)
        for name, one in found.items()
        for ref in one.references.values()
    }


def test_a_heading_that_names_the_kind_tolerates_missing_rows():
    found = infer(suppliers_csv=SUPPLIERS, products_csv=PRODUCTS)
    assert list_references(found) == {("products.csv", "supplierID", "suppliers.csv", "supplier", 4, 6)}
    assert found["products.csv"].references[2].unmatched == ("7", "9")


def test_numbers_that_match_by_chance_refer_to_nothing():
    orders = "no,quantity,price\n11,1,2\n12,3,1\n13,2,3\n14,1,1\n15,2,2\n"
    assert list_references(infer(suppliers_csv=SUPPLIERS, orders_csv=orders)) == set()


def test_codes_say_by_themselves_what_they_mean():
    found = infer(
        depots_csv="code,depot\nHB,Harbour\nNT,North\nWS,West\n",
        buses_csv="bus,kept at\nB1,HB\nB2,NT\nB3,HB\n",
    )
    assert list_references(found) == {("buses.csv", "kept at", "depots.csv", "kept at", 3, 3)}


def test_rows_of_one_table_refer_to_each_other():
    staff = "id,name,reportsTo,age\n1,Ann Bell,,3\n2,Ben Kato,1,1\n3,Cy Low,1,2\n"
    assert list_references(infer(staff_csv=staff)) == {("staff.csv", "reportsTo", "staff.csv", "reportsTo", 2, 2)}


@pytest.mark.parametrize(
    ("stops", "rides", "column"),
    [
        ("stop_id,stop_name\n4131,Elm\n5594,Aspen\n5596,Oak\n", "ride,to_stop_id\na,5594\nb,5596\n", "to_stop_id"),
        (
            "s_stopkey,s_name,s_x,s_y\n7,Elm,1,1\n8,Oak,2,2\n",
            "r_line,r_stopkey,r_x,r_y\nA,7,1,1\nB,8,3,3\nC,7,2,2\n",
            "r_stopkey",
        ),
        ("stop_sk,stop_name\n7,Elm\n8,Oak\n9,Ash\n", "ride,stop_sk\na,7.0\nb,\nc,8.0\nd,7.0\n", "stop_sk"),
        ("stop_id,stop_name\n7,Elm\n8,Oak\n8,Oak\n9,Ash\n", "ride,stop_id\na,7\nb,8\nc,9\nd,7\n", "stop_id"),
        ("stop_id,stop_name\n7,Elm\n", "ride,stop_id\na,7\nb,7\n", "stop_id"),
        (
            "id,name,display name\n7,elm_road,Elm Road\n8,oak_lane,Oak Lane\n",
            "ride,begins\na,elm_road\nb,oak_lane\nc,elm_road\n",
            "begins",
        ),
    ],
    ids=["role", "prefix and joined words", "decimals", "a key met twice", "one row", "names for machines"],
)
def test_spellings_of_keys_refer(stops, rides, column):
    found = infer(stops_csv=stops, rides_csv=rides)
    assert [(name, ref[0]) for name, *ref in list_references(found)] == [("rides.csv", column)]


def test_a_column_of_another_kinds_keys_is_no_key():
    transfers = "from_stop_id,to_stop_id,minutes\n8,9,2\n9,7,3\n7,8,4\n"
    found = infer(stops_csv="stop_id,stop_name\n7,Elm\n8,Oak\n9,Ash\n", transfers_csv=transfers)
    schema = found["transfers.csv"].schema
    assert (schema.key, schema.names, schema.nouns[0]) == (None, (), "transfer")
    assert {(ref[1], ref[2]) for ref in list_references(found)} == {
        ("from_stop_id", "stops.csv"), ("to_stop_id", "stops.csv"),
    }  # fmt: skip


def test_a_number_that_differs_goes_before_a_code_that_repeats():
    finds = "find,code\n1,GC1\n2,GC5\n3,GC3\n4,GC1\n5,GC2\n6,GC4\n"
    caches = "code,cache name\nGC1,Troll Bridge\nGC2,Old Mill\nGC3,Low Arch\nGC4,Elm Hill\nGC5,Oak Wood\n"
    assert infer(caches_csv=caches, finds_csv=finds)["finds.csv"].schema.key == 0


def test_a_number_of_the_row_itself_is_no_reference():
    pages = "page_id,page_number,text_length\n1,2,50\n2,1,60\n3,4,10\n4,3,80\n"
    assert list_references(infer(pages_csv=pages)) == set()


def test_another_code_of_the_row_itself_is_no_reference():
    countries = "iso,name,olympic\nFRA,France,FRA\nGER,Germany,GER\nPER,Peru,PER\nKEN,Kenya,FRA\n"
    assert list_references(infer(countries_csv=countries)) == set()


def test_a_join_table_is_not_what_its_number_refers_to():
    found = infer(
        territories_csv="territoryID,territoryDescription\n01581,Westboro\n01730,Bedford\n01833,Georgetown\n",
        employee_territories_csv="employeeID,territoryID\n1,01581\n1,01730\n2,01833\n",
    )
    assert list_references(found) == {("employee_territories.csv", "territoryID", "territories.csv", "territory", 3, 3)}


def test_columns_of_one_thing_are_a_kind_inside_the_table():
    orders = (
        "Row ID,Customer ID,Customer Name,Customer City,Sales\n1,C1,Ann Bell,Oslo,5\n2,C2,Ben Kato,Rome,7\n"
        "3,C1,Ann Bell,Oslo,9\n4,C2,Ben Kato,Rome,1\n5,C3,Ann Bell,Bonn,2\n6,C3,Ann Bell,Bonn,2\n"
    )
    [(kind, names)] = infer(orders_csv=orders)["orders.csv"].embedded
    assert (kind.name, kind.noun, kind.columns) == ("orders.csv: customer", "customer", (1, 2, 3))
    assert names == {"C1": "Ann Bell (C1)", "C2": "Ben Kato", "C3": "Ann Bell (C3)"}


def test_a_key_beside_varying_names_is_no_kind():
    sales = "Row ID,Shop ID,Shop Name\n1,S1,North\n2,S1,South\n3,S2,West\n4,S2,East\n5,S1,West\n"
    assert infer(sales_csv=sales)["sales.csv"].embedded == []


def test_choices_come_before_what_is_inferred():
    choices = ModelChoices.from_json(
        {
            "kinds": [{"table": "suppliers.csv", "name": ["city"], "label": "vendor"}],
            "references": [
                {"table": "products.csv", "column": "supplierID", "target": "suppliers.csv",
                 "target_column": "supplierID", "is_used": False},
            ],
        }
    )  # fmt: skip
    found = infer(choices, suppliers_csv=SUPPLIERS, products_csv=PRODUCTS)
    assert found["suppliers.csv"].schema.names == (2,)
    assert found["suppliers.csv"].schema.nouns == ["vendor"]
    assert list_references(found) == set()
    assert [reference.target for reference in found["products.csv"].rejected] == ["suppliers.csv"]


def test_a_reference_is_called_as_a_person_says():
    choices = ModelChoices.from_json(
        {
            "references": [
                {"table": "products.csv", "column": "supplierID", "target": "suppliers.csv",
                 "target_column": "supplierID", "label": "made by"},
            ]
        }
    )  # fmt: skip
    found = infer(choices, suppliers_csv=SUPPLIERS, products_csv=PRODUCTS)
    assert list_references(found) == {("products.csv", "supplierID", "suppliers.csv", "made by", 4, 6)}


def test_a_choice_of_a_missing_column_is_refused():
    choices = ModelChoices.from_json({"kinds": [{"table": "suppliers.csv", "name": ["nme"]}]})
    with pytest.raises(ConfigError, match=r"names the column 'nme', which suppliers.csv does not have"):
        infer(choices, suppliers_csv=SUPPLIERS)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kinds": "x"}, "kinds must be a list of objects"),
        ({"kinds": [{"label": "x"}]}, "table is missing"),
        ({"kinds": [{"table": "t", "name": 3}]}, "name must be a list of columns"),
        ({"kinds": [{"table": "t", "columns": [{"name": "c", "type": "colour"}]}]}, "the type of a column is one of"),
        ({"references": [{"table": "t", "column": "c", "target": "u"}]}, "target_column is missing"),
        ({"references": [{"table": "t", "column": "c", "target": "u", "target_column": "d", "is_used": 1}]},
         "is_used must be true or false"),
    ],
)  # fmt: skip
def test_choices_of_another_form_are_refused(value, message):
    with pytest.raises(ConfigError, match=message):
        ModelChoices.from_json(value)


def test_the_column_that_others_refer_to_is_the_key():
    found = infer(
        countries_csv="code,iso,name,borders\nAA,AAA,Arland,BBB\nBB,BBB,Borland,AAA\nCC,CCC,Corland,\n",
        groups_csv="key,name,order\nfaces,Faces,0\nhands,Hands,1\nflags,Flags,2\n",
        signs_csv="sign,group\nSmile,0\nFrown,0\nWave,1\nFist,1\n",
    )
    assert {name: one.schema.key for name, one in found.items()} == {
        "countries.csv": 1,
        "groups.csv": 2,
        "signs.csv": None,
    }


def test_a_column_that_refers_is_no_key():
    found = infer(
        territories_csv="territoryID,territoryDescription\n01581,Westboro\n01730,Bedford\n01833,Georgetown\n",
        employee_territories_csv="employeeID,territoryID\n1,01581\n1,01730\n2,01833\n",
    )
    assert found["employee_territories.csv"].schema.key is None


def test_the_kind_of_a_row_in_its_own_table_is_another_row():
    courts = "id,title,court\nc-0,High Court,\nc-1,North Court,c-0\nc-2,South Court,c-0\n"
    assert list_references(infer(courts_csv=courts)) == {("courts.csv", "court", "courts.csv", "court", 2, 2)}


def test_rows_without_a_name_continue_those_of_the_same_sparse_numbers():
    numbers = range(100, 1100, 50)
    films = "ID,Title\n" + "".join(f"{n},Film {'abcdefghijklmnopqrst'[i]}\n" for i, n in enumerate(numbers))
    ratings = "ID,Meter\n" + "".join(f"{n},{n % 7}\n" for n in numbers)
    assert list_references(infer(films_csv=films, ratings_csv=ratings)) == {
        ("ratings.csv", "ID", "films.csv", "film", 20, 20)
    }


def test_names_in_one_language_are_no_references():
    found = infer(
        areas_csv="id,name_nl,name_fr\na,Gent,Gand\nb,Luik,Liège\n",
        cantons_csv="id,name_nl,name_fr\nx,Gent,Gand\ny,Luik,Liège\nz,Brugge,Bruges\n",
    )
    assert list_references(found) == set()


VISITS = "Row ID,Visit No,Visit Date,Vet,Treatment\n" + "".join(
    f"{line},V-{visit},2024-03-0{visit},{vet},{treatment}\n"
    for line, (visit, vet, treatment) in enumerate(
        [(7, "Ann Bell", "Bath"), (7, "Ann Bell", "Comb"), (8, "Ben Kato", "Bath"), (8, "Ben Kato", "Claws"),
         (9, "Ann Bell", "Comb"), (9, "Ann Bell", "Bath"), (9, "Ann Bell", "Claws"), (6, "Cy Low", "Bath"),
         (6, "Cy Low", "Comb"), (6, "Cy Low", "Claws")]
    )
)  # fmt: skip


def test_rows_of_one_number_are_lines_of_what_is_numbered():
    table = infer(visits_csv=VISITS)["visits.csv"]
    [(kind, names)] = table.embedded
    assert (kind.noun, kind.key, kind.names, kind.shared) == ("visit", 1, (), (2, 3))
    assert names == {"V-7": "V-7", "V-8": "V-8", "V-9": "V-9", "V-6": "V-6"}
    assert table.schema.nouns == ["visit line"]


def test_a_number_on_which_nothing_depends_is_no_kind():
    differing = VISITS.replace("1,V-7,2024-03-07,Ann Bell", "1,V-7,2024-03-03,Cy Low")
    assert infer(visits_csv=differing)["visits.csv"].embedded == []
    postal = VISITS.replace("Visit No", "Postal Code")
    assert infer(visits_csv=postal)["visits.csv"].embedded == []


def test_a_number_of_what_is_not_there_is_no_kind():
    boats = "boat,sail no,cloth,maker\n" + "".join(
        f"B{n},{sail},{cloth},{maker}\n"
        for n, (sail, cloth, maker) in enumerate([(7, "Linen", "Kato"), (8, "Hemp", "Bell"), (9, "Silk", "Low")] * 3)
    )
    assert infer(boats_csv=boats)["boats.csv"].embedded == []


def test_rows_whose_key_repeats_are_no_lines_of_themselves():
    trips = "trip_id,line,sign,block\n" + "".join(
        f"T{n},{n % 2},to {'ABC'[n % 3]},{n % 3}\n" for n in (*range(11), 1, 2, 4, 5)
    )
    found = infer(trips_csv=trips, calls_csv="trip_id,stop\nT1,Elm\nT2,Oak\nT1,Ash\n")
    assert found["trips.csv"].embedded == []
    assert list_references(found) == {("calls.csv", "trip_id", "trips.csv", "trip", 3, 3)}


def test_other_tables_refer_to_kinds_inside_a_table():
    bills = "Bill,Visit No,Paid\nB1,V-7,yes\nB2,V-9,no\nB3,V-99,no\nB4,V-7,no\nB5,V-6,yes\n"
    table = infer(visits_csv=VISITS, bills_csv=bills)["bills.csv"]
    assert {position: kind.name for position, (kind, _) in table.referred_kinds.items()} == {1: "visits.csv: visit"}


def test_a_column_belongs_to_the_key_of_fewest_values():
    visits = (
        "Line,Visit No,Vet ID,Vet Name,Branch,Day,Fee\n1,7,A,Ann Bell,North,Mon,10\n2,7,A,Ann Bell,North,Mon,5\n"
        "3,8,B,Ben Kato,South,Tue,10\n4,8,B,Ben Kato,South,Tue,8\n5,9,A,Ann Bell,North,Fri,5\n"
        "6,9,A,Ann Bell,North,Fri,10\n7,10,C,Cy Low,South,Mon,8\n8,10,C,Cy Low,South,Mon,10\n"
        "9,11,B,Ben Kato,South,Sat,8\n10,11,B,Ben Kato,South,Sat,10\n"
    )
    kinds = {kind.noun: (kind, names) for kind, names in infer(visits_csv=visits)["visits.csv"].embedded}
    assert {noun: kind.shared for noun, (kind, _) in kinds.items()} == {"visit": (2, 5), "vet": (4,)}
    assert kinds["visit"][1]["7"] == "visit 7"


def test_words_that_all_tables_share_are_no_part_of_kinds():
    found = infer(
        zoo_office_cages_csv="id,size\n71,4\n82,9\n",
        zoo_office_keepers_csv="id,name\n53,Ann Bell\n64,Ben Kato\n",
        zoo_office_visits_csv="date,cage_id,keeper_id\n1 May 2020,71,64\n2 May 2020,82,53\n",
    )
    assert [one.schema.nouns for one in found.values()] == [["cage"], ["keeper"], ["visit"]]
    assert list_references(found) == {
        ("zoo_office_visits.csv", "cage_id", "zoo_office_cages.csv", "cage", 2, 2),
        ("zoo_office_visits.csv", "keeper_id", "zoo_office_keepers.csv", "keeper", 2, 2),
    }


def test_a_kind_is_meant_rather_than_the_end_of_it_or_a_column_of_its_heading():
    found = infer(
        types_csv="id,name\n1,Oak\n2,Elm\n3,Ash\n",
        leaf_types_csv="id,name\n1,Round\n2,Long\n",
        trees_csv="tree,leaf_type_id\nA,1\nB,2\nC,1\nD,1\n",
        leaf_sizes_csv="leaf_type_id,size\n1,5\n2,7\n",
    )
    assert {ref[:3] for ref in list_references(found)} == {
        ("trees.csv", "leaf_type_id", "leaf_types.csv"), ("leaf_sizes.csv", "leaf_type_id", "leaf_types.csv"),
    }  # fmt: skip


@pytest.mark.parametrize("heading", ["made_from_part_id", "parent_part", "part_parent", "parent_id"])
def test_a_role_of_the_own_kind_is_another_row(heading):
    parts = f"part_id,name,{heading}\n11,Axle,\n12,Wheel,11\n13,Spoke,12\n14,Rim,12\n"
    assert {ref[:3] for ref in list_references(infer(parts_csv=parts))} == {("parts.csv", heading, "parts.csv")}


def test_names_are_referred_to_without_a_heading_by_several_of_another_table():
    tongues = "tongue,branch\nLatin,Italic\nItalic,Italic\nGreek,Greek\nOscan,Italic\n"
    assert list_references(infer(tongues_csv=tongues)) == set()
    names = [f"Ship {letter}" for letter in "abcdefghijkl"]
    ships = "ship,tons\n" + "".join(f"{name},{n}\n" for n, name in enumerate(names))
    wins = "race,won by\n" + "".join(f"R{n},{name}\n" for n, name in enumerate(names * 2))
    assert list_references(infer(ships_csv=ships, races_csv=wins)) == {
        ("races.csv", "won by", "ships.csv", "won by", 24, 24)
    }
    few = "race,won by\nR1,Ship a\nR2,Ship b\nR3,Ship a\n"
    assert list_references(infer(ships_csv=ships, races_csv=few)) == set()
    crews = "ship,tons\nShip a,1\nShip b,2\nShip c,3\n"
    assert list_references(infer(ships_csv=crews, races_csv=few)) == {
        ("races.csv", "won by", "ships.csv", "won by", 3, 3)
    }


def test_hashes_are_keys():
    keys = [f"ab{n:030x}" for n in (7, 8, 9)]
    found = infer(
        guests_csv=f"ref,name\n{keys[0]},Ann Bell\n{keys[1]},Ben Kato\n{keys[2]},Cy Low\n",
        stays_csv="day,booked by\n" + "".join(f"{n} May 2020,{keys[n % 2]}\n" for n in range(1, 5)),
    )
    assert list_references(found) == {("stays.csv", "booked by", "guests.csv", "booked by", 4, 4)}


def test_a_kind_with_the_word_of_its_key_refers_where_all_rows_are_missing():
    found = infer(halls_csv="id,name\n1,Elm\n2,Oak\n", plays_csv="play,hall_id,hall_code\nHamlet,71,81\nMedea,72,82\n")
    assert list_references(found) == {("plays.csv", "hall_id", "halls.csv", "hall", 0, 2)}
