"""Tables as spreadsheets save them."""

import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.list_cells import find_list_mark
from retrieval.kg.readers.table_layout import find_table
from retrieval.kg.table import ROW
from tests.retrieval.kg.model.tables import infer_names

FILMS = """Title,Director,Year,Country
Night Train,Ann Bell,1999,France
Sea Road,Cora Dunn,2011,N/A
"Red, Red Hill",Ann Bell,2015
"""


def facts(tmp_path, **files):
    paths = []
    for name, text in files.items():
        path = tmp_path / name.replace("_csv", ".csv")
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    problems = []
    snapshot, _ = build_from_files(paths, tmp_path / "graph", problems=problems.append)
    hops = [snapshot.get_hop(fact) for fact in range(snapshot.num_triples)]
    found = {(hop.source.label, hop.step.label, hop.target.label) for hop in hops if hop.step.label != ROW}
    return found, problems


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["gluten; milk", "gluten", "milk; nuts; eggs"], ";"),
        (["38|40", "40|42"], "|"),
        (["red\nblue", "blue\ngreen"], "\n"),
        (["gluten, milk", "milk, nuts", "gluten"], ","),
        (["gluten, milk", "eggs, nuts"], ""),
        (["Lyon, France", "Paris, France", "Nice, France"], ""),
        (["1,200", "2,400", "1,200"], ""),
        (["Bell, Ann", "Dunn, Cora", "Bell, Tom"], ""),
        (
            [
                "a long remark; it goes on and on, and says nothing at all",
                "one more remark; of many words, again",
            ],
            "",
        ),
        (["gluten; milk", "none"], ""),
    ],
)
def test_cells_of_several_values(cells, mark):
    assert find_list_mark(cells) == mark


def test_each_value_of_a_cell_is_said_of_the_row(tmp_path):
    bread = "Name,Price,Allergens\nRye,5,gluten; rye\nBrioche,4,gluten; milk; gluten\nOat,,\n"
    found, problems = facts(tmp_path, bread_csv=bread)
    assert found == {
        *((name, "type", "bread") for name in ("Rye", "Brioche", "Oat")),
        ("Rye", "price", "5"),
        ("Brioche", "price", "4"),
        ("Rye", "allergens", "gluten"),
        ("Rye", "allergens", "rye"),
        ("Brioche", "allergens", "gluten"),
        ("Brioche", "allergens", "milk"),
    }
    assert problems == []


def test_each_row_is_a_thing_and_each_cell_is_said_of_it(tmp_path):
    found, problems = facts(tmp_path, films_csv=FILMS)
    assert found == {
        ("Night Train", "type", "film"),
        ("Night Train", "director", "Ann Bell"),
        ("Night Train", "year", "1999"),
        ("Night Train", "country", "France"),
        ("Sea Road", "type", "film"),
        ("Sea Road", "director", "Cora Dunn"),
        ("Sea Road", "year", "2011"),
        ("Red, Red Hill", "type", "film"),
        ("Red, Red Hill", "director", "Ann Bell"),
        ("Red, Red Hill", "year", "2015"),
    }
    assert problems == []


def test_a_column_of_types_tells_narrower_kinds(tmp_path):
    found, _ = facts(tmp_path, volcanoes_csv="Name,Type,Height\nHekla,fissure volcano,1491\nEtna,,3357\n")
    assert {fact for fact in found if fact[1] == "type"} == {
        ("Hekla", "type", "volcano"),
        ("Hekla", "type", "fissure volcano"),
        ("Etna", "type", "volcano"),
    }


def test_tables_meet_where_one_names_what_the_other_describes(tmp_path):
    people = "Name;Born;Country\nAnn Bell;1970;Wales\nCora Dunn;1985;Kenya\n"
    found, _ = facts(tmp_path, films_csv=FILMS, directors_csv=people)
    assert {("Night Train", "director", "Ann Bell"), ("Ann Bell", "born", "1970")} <= found
    assert ("Ann Bell", "type", "director") in found


def test_rows_that_nothing_tells_apart_are_numbered(tmp_path):
    sales = "Product,Amount\nLamp,3\nLamp,4\nChair,3\n"
    found, _ = facts(tmp_path, sales_csv=sales)
    assert {("sale 1", "product", "Lamp"), ("sale 2", "amount", "4"), ("sale 3", "product", "Chair")} <= found


def test_rows_that_do_not_fit_are_told(tmp_path):
    _, problems = facts(tmp_path, films_csv=FILMS + "Blue Door,Ivo Lind,2003,Sweden,x\n,Ivo Lind,,\n")
    assert [(p.line, p.kind) for p in problems] == [(5, "row"), (6, "blank")]


def test_a_row_without_a_name_that_says_as_much_as_others_is_kept(tmp_path):
    found, problems = facts(tmp_path, films_csv=FILMS + ",Ivo Lind,2004,Sweden\n")
    assert {("film 4", "type", "film"), ("film 4", "director", "Ivo Lind"), ("film 4", "year", "2004")} <= found
    assert not problems


@pytest.mark.parametrize(
    "text",
    [
        "Berlin,capital of,Germany\nParis,capital of,France\n",
        "head,relation,tail\nBerlin,capital of,Germany\n",
        "Berlin,capital of,Germany,high\nParis,capital of,France,low\n",
        "source,relation,target,weight\na,b,c,1\n",
        "Berlin,capital of,Germany,1990\nParis,capital of,France,1792\n",
        "id,name,type\n1,Berlin,city\n",
        "entity,property,val\nBerlin,population,3700000\nParis,population,2100000\n",
        "name,attribute,value\nBerlin,population,3700000\nParis,population,2100000\n",
        "name,says,of\nBerlin,population,3700000\nBerlin,mayor,Ann\n",
    ],
)
def test_facts_nodes_and_edges_are_no_tables(text, tmp_path):
    try:
        found, _ = facts(tmp_path, things_csv=text)
    except (SourceError, EmptySourceError):
        return
    assert not any(fact[1:] == ("type", "thing") for fact in found)


def test_rows_are_called_by_the_last_word_of_what_the_file_calls_them(tmp_path):
    courses = "Code,Course,Price,Days\nK01,Penguin Club,245,5\nK02,Snow Foxes,265,3\n"
    assert infer_names("group_courses.csv", courses) == ((1,), ("group course", "course"))
    bookings = "Booking,Course code,Pupils,Paid\nB-1,K02,3,20\nB-2,K01,1,40\n"
    joined, problems = facts(tmp_path, group_courses_csv=courses, bookings_csv=bookings)
    assert {("B-1", "Course", "Snow Foxes"), ("B-2", "Course", "Penguin Club")} <= {
        (head, relation.capitalize(), tail) for head, relation, tail in joined
    }
    assert problems == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("films.csv", "film"),
        ("my_countries.tsv", "country"),
        ("OrderItems.csv.gz", "order item"),
        ("export (1).csv", ""),
        ("2024-bus.csv", "bus"),
        ("volcanoes.csv", "volcano"),
        ("branches.csv", "branch"),
        ("buses.csv", "bus"),
        ("causes.csv", "cause"),
        ("houses.csv", "house"),
    ],
)
def test_what_rows_are_called(name, kind):
    assert infer_noun(get_plain_name(name)) == kind


DEPARTMENTS = """id,name,floor
1,Sales,2
2,Research,3
"""
EMPLOYEES = """id,name,department_id,manager_id,salary
1,Ann Bell,1,3,52000
2,Ben Kato,1,3,34000
3,Cora Dunn,2,,91000
"""
ORDERS = """id,employeeId,total,buyer_id
10,1,250,2
11,2,90,1
"""


def test_numbers_of_rows_of_other_tables_are_those_rows(tmp_path):
    found, problems = facts(tmp_path, departments_csv=DEPARTMENTS, employees_csv=EMPLOYEES, orders_csv=ORDERS)
    assert found == {
        ("Sales", "type", "department"), ("Sales", "floor", "2"),
        ("Research", "type", "department"), ("Research", "floor", "3"),
        *((name, "type", "employee") for name in ("Ann Bell", "Ben Kato", "Cora Dunn")),
        ("Ann Bell", "department", "Sales"), ("Ben Kato", "department", "Sales"),
        ("Cora Dunn", "department", "Research"),
        ("Ann Bell", "manager", "Cora Dunn"), ("Ben Kato", "manager", "Cora Dunn"),
        ("Ann Bell", "salary", "52000"), ("Ben Kato", "salary", "34000"), ("Cora Dunn", "salary", "91000"),
        ("order 10", "type", "order"), ("order 10", "employee", "Ann Bell"),
        ("order 10", "total", "250"), ("order 10", "buyer id", "2"),
        ("order 11", "type", "order"), ("order 11", "employee", "Ben Kato"),
        ("order 11", "total", "90"), ("order 11", "buyer id", "1"),
    }  # fmt: skip
    assert problems == []


def test_who_did_something_is_of_the_only_table_of_people_that_is_left(tmp_path):
    customers = "customer_id,name,city\n1,Ines Vidal,Madrid\n2,Tom Baker,Leeds\n"
    products = "product_id,name,price\n1,Lamp,35.5\n2,Chair,149\n"
    orders = "order_id,buyer_id,product_id,shipper_id,quantity\n1,2,1,7,3\n2,2,2,8,1\n"
    found, _ = facts(tmp_path, customers_csv=customers, products_csv=products, orders_csv=orders)
    assert {fact for fact in found if fact[0] == "order 1"} == {
        ("order 1", "type", "order"), ("order 1", "order id", "1"), ("order 1", "buyer", "Tom Baker"),
        ("order 1", "product", "Lamp"), ("order 1", "shipper id", "7"), ("order 1", "quantity", "3"),
    }  # fmt: skip


def test_numbers_that_no_row_has_stay_numbers_unless_the_heading_is_the_kind_and_its_key(tmp_path):
    found, _ = facts(tmp_path, departments_csv=DEPARTMENTS, employees_csv=EMPLOYEES.replace(",1,3,", ",7,9,"))
    assert ("Ann Bell", "department", "department 7") in found
    assert ("Cora Dunn", "department", "Research") in found
    assert ("Ann Bell", "manager id", "9") in found


def test_things_with_ids_and_a_type_among_other_columns_are_rows_that_others_refer_to(tmp_path):
    users = "id,login,name,type\n7,abell,Ann Bell,guest\n8,bkato,Ben Kato,staff\n"
    found, _ = facts(tmp_path, users_csv=users, rides_csv="ride,miles,user_id\nDawn,5,7\nDusk,6,8\n")
    assert {fact for fact in found if fact[0] == "Dawn"} == {
        ("Dawn", "is a", "ride"), ("Dawn", "miles", "5"), ("Dawn", "user", "Ann Bell"),
    }  # fmt: skip
    assert ("Ann Bell", "user type", "guest") in found


def test_edges_may_name_rows_by_number(tmp_path):
    found, problems = facts(
        tmp_path,
        employees_csv="id,name,salary\n7,Ann Bell,52000\n8,Ben Kato,34000\n",
        edges_csv="source_id,relation,target_id\n7,mentors,8\n",
    )
    assert ("Ann Bell", "mentors", "Ben Kato") in found
    assert problems == []


KITES = """Acc. No.,Title,Made,Donor,Shelf
K001,Red Dragon,1978,D2,A1
K002,Edo Samurai,1965,D1,B2
K003,Night Owl,1994,D1,A1
"""
DONORS = """ID,Name,Town
D1,Ann Bell,Exeter
D2,Ben Kato,Bristol
D3,Cora Dunn,Bristol
"""
LOANS = """Loan,Object,Lent by,Fee
L1,K002,AB,250
L2,K001,CD,90
"""
STAFF = """Initials,Full name,Role,Since
AB,Ann Boon,keeper,2011
CD,Carl Dean,clerk,2019
EF,Eve Frost,clerk,2020
"""


def test_codes_of_rows_of_other_tables_are_those_rows_whatever_the_headings_are(tmp_path):
    files = {"kites_csv": KITES, "donors_csv": DONORS, "loans_csv": LOANS, "staff_csv": STAFF}
    found, problems = facts(tmp_path, **files)
    assert {fact for fact in found if fact[0] in ("Edo Samurai", "L1")} == {
        ("Edo Samurai", "type", "kite"), ("Edo Samurai", "acc. no.", "K002"), ("Edo Samurai", "made", "1965"),
        ("Edo Samurai", "donor", "Ann Bell"), ("Edo Samurai", "shelf", "B2"),
        ("L1", "type", "loan"), ("L1", "object", "Edo Samurai"), ("L1", "lent by", "Ann Boon"), ("L1", "fee", "250"),
    }  # fmt: skip
    assert problems == []


def test_codes_of_capitals_and_hyphens_are_rows_too(tmp_path):
    balloons = "Registration,Name,Colour,Year\nG-BXTP,Marmalade,orange,2009\nG-CDKV,Tiger,black,2014\n"
    flights = "Flight,Registration,Minutes,Site\nF1,G-CDKV,52,Bath\nF2,G-BXTP,64,Frome\nF3,G-CDKV,40,Bath\n"
    found, problems = facts(tmp_path, balloons_csv=balloons, flights_csv=flights)
    assert {fact for fact in found if fact[0] == "F1"} == {
        ("F1", "type", "flight"), ("F1", "registration", "Tiger"), ("F1", "minutes", "52"),
        ("F1", "site", "Bath"),
    }  # fmt: skip
    assert problems == []


def test_codes_that_two_tables_have_stay_codes(tmp_path):
    others = DONORS.replace("Name,Town", "Name,Street")
    found, _ = facts(tmp_path, kites_csv=KITES, givers_csv=DONORS, others_csv=others)
    assert ("Edo Samurai", "donor", "D1") in found


def test_the_table_that_a_heading_is_called_as_is_meant(tmp_path):
    others = DONORS.replace("Name,Town", "Name,Street").replace("Ann Bell", "Bell Ltd")
    found, _ = facts(tmp_path, kites_csv=KITES, donors_csv=DONORS, others_csv=others)
    assert ("Edo Samurai", "donor", "Ann Bell") in found


def test_titles_that_two_rows_share_name_them(tmp_path):
    rows = [f"{n},Client {n % 3},Job {n},{100 * n}" for n in range(1, 20)]
    jobs = "\n".join(["Job no,Client,Title,Words", *rows, "20,Client 2,Job 7,90"])
    found, _ = facts(tmp_path, jobs_csv=jobs)
    assert {fact for fact in found if fact[1] == "words" and fact[0].startswith("Job 7")} == {
        ("Job 7", "words", "700"), ("Job 7 (20)", "words", "90"),
    }  # fmt: skip


def test_decimal_commas_leave_points_between_thousands(tmp_path):
    text = "Inv. No;Words;Net EUR\n23-001;4.176;459,36\n23-002;11.607;1.857,12\n23-003;908;145,28\n"
    found, problems = facts(tmp_path, invoices_csv=text)
    assert problems == []
    assert {row for row in found if row[0] == "23-002"} == {
        ("23-002", "words", "11607"), ("23-002", "net EUR", "1.857,12"), ("23-002", "type", "invoice"),
    }  # fmt: skip


def test_rows_are_called_by_their_numbers_and_not_by_dates_or_memos(tmp_path):
    rows = [f"0{n}-Oct-23,20{n}0,Cafe {n},lunch {n}" for n in range(1, 7)]
    found, _ = facts(tmp_path, transactions_csv="\n".join(["Date,No.,Payee,Memo", *rows]))
    assert ("transaction 2010", "payee", "Cafe 1") in found
    jobs = "Job#,IN,Who\n3001,01-Oct-23,Wenna\n3004,02-Oct-23,Jago\n3006,03-Oct-23,Wenna\n3007,04-Oct-23,Jago\n"
    (tmp_path / "again").mkdir()
    found, _ = facts(tmp_path / "again", jobs_csv=jobs)
    assert ("job 3004", "who", "Jago") in found


def test_tables_meet_by_short_headings_and_kinds(tmp_path):
    found, _ = facts(
        tmp_path,
        customers_csv="cust_no,name,village\n7,Mrs Alder,Stoke\n8,Mr Birch,Wick\n9,Dr Cole,Stoke\n",
        jobs_csv="job,customer,gyle,price\nJ1,7,2401,40\nJ2,9,2402,25\nJ3,7,2401,30\nJ4,8,2401,35\n",
        brews_csv="Gyle no.,Brewed,Brewer\n2401,2024-01-04,Tom\n2402,2024-01-17,Meg\n",
    )
    assert ("J2", "customer", "Dr Cole") in found
    assert ("J4", "gyle", "gyle 2401") in found
    assert ("Mr Birch", "village", "Wick") in found


def test_sites_have_the_name_of_their_heading(tmp_path):
    text = "Site code,Name of site,Rent (£ / yr)\nOR,Orchard End,0\nLM,Lower Mill,60\nHB,Hergest Bank,45\n"
    found, _ = facts(tmp_path, sites_csv=text, hives_csv="Hive No,Site,Frames\nH01,OR,12\nH02,LM,8\nH03,OR,9\n")
    assert ("H02", "site", "Lower Mill") in found


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("grants register.csv", "grant"),
        ("kegs out.csv", "keg"),
        ("species.csv", "species"),
        ("jobs log.csv", "job"),
    ],
)
def test_lists_are_called_by_what_they_list(name, kind):
    assert infer_noun(name) == kind


def test_a_list_of_codes_explains_those_of_other_tables(tmp_path):
    codes = "field,code,meaning\nweather,1,Frost\nweather,2,Snow\ndriver,AB,Ann Bell\ndriver,BK,Ben Kato\n"
    runs = "run,day,driver,weather\n101,Mon,AB,2\n102,Tue,AB,1\n103,Tue,AB,1\n"
    found, problems = facts(tmp_path, codes_csv=codes, runs_csv=runs)
    assert not problems
    assert {
        ("run 101", "driver", "Ann Bell"),
        ("run 101", "weather", "Snow"),
        ("run 103", "weather", "Frost"),
    } <= found
    assert ("Ben Kato", "type", "driver") in found
    assert ("Ben Kato", "code", "BK") in found


def test_rows_are_called_by_their_descriptions_beside_codes(tmp_path):
    routes = "route,description,km\nA1,Moor Top,18.4\nA2,Quarry Lane,9.7\nB1,Kirk Bank,6.3\n"
    runs = "run,route,minutes\n101,A1,55\n102,A2,40\n103,A1,60\n"
    found, problems = facts(tmp_path, routes_csv=routes, runs_csv=runs)
    assert not problems
    assert {("Moor Top", "route", "A1"), ("run 101", "route", "Moor Top")} <= found


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 60])
@pytest.mark.parametrize(
    ("header", "row", "table"),
    [
        ("City,Mayor,Country", "Town {a},Ola {a} Nowa,Poland", True),
        ("Employee,Department,City", "Ann {a},Sales,Oslo", True),
        ("name,born,died", "Ann {a},19{n},20{n}", True),
        ("id,identifier,order", "{n},walk-{a},{n}", True),
        ("Film {a} x,directed_by,Ann {a}", "Film {a},directed_by,Ann {a}", False),
        ("Film x,DIRECTED_BY,Ann", "Film {a},IN_LANGUAGE,French", False),
        ("Q42,P31,Q5", "Q1{n},P{n},Q5", False),
    ],
)
def test_a_table_is_one_however_few_rows_it_has(header, row, table, rows):
    text = "\n".join([header, *(row.format(a=chr(65 + n % 26) + chr(97 + n // 26), n=10 + n) for n in range(rows))])
    assert (find_table(text + "\n", sure=False) is not None) == table


def test_lines_of_a_number_and_other_tables_lead_to_what_is_numbered(tmp_path):
    loans = "Row ID,Loan No,Day,Reader,Book,Pages\n" + "".join(
        f"{row},{loan},2024-05-0{loan},{reader},{book},{100 + row}\n"
        for row, (loan, reader, book) in enumerate(
            [(7, "Ann", "Emma"), (7, "Ann", "Ulysses"), (8, "Ben", "Emma"), (8, "Ben", "Dune"), (9, "Ann", "Dune"),
             (9, "Ann", "Ulysses"), (6, "Cy", "Emma"), (6, "Cy", "Dune"), (6, "Cy", "Ulysses")], start=1,
        )
    )  # fmt: skip
    late = "Loan No,Weeks\n7,2\n9,1\n7,1\n12,3\n"
    found, _ = facts(tmp_path, loans_csv=loans, late_csv=late)
    assert {fact for fact in found if fact[0] in ("loan 7", "loan line 2", "late 4", "late 3")} == {
        ("loan 7", "type", "loan"), ("loan 7", "loan no", "7"), ("loan 7", "day", "2024-05-07"),
        ("loan 7", "reader", "Ann"),
        ("loan line 2", "type", "loan line"), ("loan line 2", "row ID", "2"), ("loan line 2", "loan", "loan 7"),
        ("loan line 2", "day", "2024-05-07"), ("loan line 2", "reader", "Ann"), ("loan line 2", "book", "Ulysses"),
        ("loan line 2", "pages", "102"),
        ("late 3", "type", "late"), ("late 3", "loan", "loan 7"), ("late 3", "weeks", "1"),
        ("late 4", "type", "late"), ("late 4", "loan", "loan 12"), ("late 4", "weeks", "3"),
    }  # fmt: skip


def test_rows_refer_to_things_whatever_the_length_of_their_names(tmp_path):
    long = [f"Heavy duty reinforced concrete anchor bolt with washer and nut, type {letter}" for letter in "ABC"]
    parts = "part id,part name\n" + "".join(f'P{n},"{name}"\n' for n, name in enumerate(long))
    uses = "use,part id\nU1,P0\nU2,P2\nU3,P0\n"
    found, _ = facts(tmp_path, parts_csv=parts, uses_csv=uses)
    assert {(head, tail) for head, relation, tail in found if relation == "part"} == {
        ("U1", long[0]), ("U2", long[2]), ("U3", long[0]),
    }  # fmt: skip


def test_things_of_referring_tables_that_are_called_alike_stay_apart(tmp_path):
    bands = "band id,name,city\n1,Amber,Oslo\n2,Bold,Rome\n"
    albums = "album id,title,band id\n1,Amber,1\n2,Cold Rain,1\n3,Dusk,2\n4,Echo,2\n"
    songs = "song id,title,album id\n1,Dusk,3\n2,Amber,2\n3,Foam,2\n4,Glow,3\n5,Haze,1\n"
    found, _ = facts(tmp_path, bands_csv=bands, albums_csv=albums, songs_csv=songs)
    assert {(head, tail) for head, relation, tail in found if relation == "band"} == {
        ("Amber (album)", "Amber"), ("Cold Rain", "Amber"), ("Dusk", "Bold"), ("Echo", "Bold"),
    }  # fmt: skip
    assert {(head, tail) for head, relation, tail in found if relation == "album"} == {
        ("Dusk (song)", "Dusk"), ("Amber (song)", "Cold Rain"), ("Foam", "Cold Rain"), ("Glow", "Dusk"),
        ("Haze", "Amber (album)"),
    }  # fmt: skip


def test_things_of_two_tables_that_are_mostly_called_alike_are_the_same(tmp_path):
    staff = "staff id,name,town\n1,Ann,Oslo\n2,Ben,Rome\n3,Cy,Bern\n"
    shifts = "id,name,boss staff id\n1,Ben,1\n2,Cy,1\n3,Dee,2\n"
    found, _ = facts(tmp_path, staff_csv=staff, shifts_csv=shifts)
    assert {head for head, _, _ in found if head.startswith(("Ben", "Cy"))} == {"Ben", "Cy"}
