"""What names the rows of a table, and what they are called."""

import pytest

from tests.retrieval.kg.model.tables import infer, infer_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Year,City,Full name\n1990,Rome,Ann\n1991,Rome,Ben\n", (2,)),
        ("Code,Price\n1,20\n2,30\n", ()),
        ("Nr,Thing,Price\n1,Lamp,20\n2,Desk,20\n", (1,)),
        ("id,first_name,Surname,Salary\n1,Ann,Bell,20\n2,Ann,Dunn,30\n", (1, 2)),
        ('Lake,"Depth\n(in m)",Notes\nVo,12,\nNu,30,deep\n', (0,)),
        # A word for names far from the front beats a code, in any language of the list.
        ("custId,contactTitle,companyName,city\nALF,Owner,Alfreds,Berlin\nANA,Owner,Emparedados,Mexico\n", (2,)),
        ("code,nom,pays\nA1,Lac Vert,France\nA2,Lac Bleu,France\n", (1,)),
        # Names may repeat beside a key, and be hidden; an identifier in words is one.
        ("id,name,size\n11,Elm,1\n12,Oak,2\n13,Elm,3\n", (1,)),
        ("name,size\nElm,1\nOak,2\nElm,3\n", ()),
        (f"id,name\n1,ab{7:030x}\n2,ab{8:030x}\n", (1,)),
        (f"id,mark\n1,ab{7:030x}\n2,ab{8:030x}\n", ()),
        ("id,identifier,size\n11,dark-blue,1\n12,light-red,2\n", (1,)),
        ("id,identifier,size\n11,71,1\n12,72,2\n", ()),
    ],
)
def test_the_column_that_names_a_row(text, names):
    assert infer_names("things.csv", text)[0] == names


def test_things_are_called_by_what_they_are_and_not_by_a_code():
    parts = "part no,description,price\nP-1,Hex bolt,0.12\nP-2,Air filter,9.40\n"
    assert infer_names("stock.csv", parts) == ((1,), ("stock", "part"))
    flights = "flight no,pilot,seats\nBA-1,Ann Bell,120\nBA-2,Ben Kato,80\n"
    assert infer_names("flights.csv", flights)[0] == (0,)


@pytest.mark.parametrize("heading", ["", "rownames", "Unnamed: 0", "X", "index"])
def test_a_count_of_the_rows_names_nothing_and_is_no_kind(heading):
    rows = "1,K-101,12\n2,K-205,9\n3,M-031,12\n4,M-077,30\n5,P-002,8\n"
    assert infer_names("kayaks.csv", f"{heading},hull,length\n{rows}") == ((1,), ("kayak", "hull"))
    rows = "1,red,12\n2,red,9\n3,green,12\n4,red,30\n5,green,8\n"
    assert infer_names("kayaks.csv", f"{heading},colour,length\n{rows}") == ((), ("kayak",))


def test_three_columns_are_a_table_where_the_second_is_of_values():
    text = (
        "Name,Term start,Term end\nAnn Bell,1 May 1990,3 June 1992\nBen Kato,3 June 1992,Incumbent\n"
        "Ann Bell,1 May 1999,3 June 2002\n"
    )
    assert infer_names("chiefs.csv", text) == ((), ("chief",))


def test_scores_and_measures_name_nothing():
    text = (
        "Episode,Aired,Guest,Viewers\n1,May 2010,Ann,4.52m\n2,May 2010,Ann,4.41m\n3,June 2010,Ben,3.99m\n"
        "4,June 2010,Ben,4.17m\n5,June 2010,Ann,3.44m\n"
    )
    assert infer_names("shows.csv", text)[0] == ()


@pytest.mark.parametrize(
    ("heading", "nouns"),
    [
        ("Listing", ("thing", "listing")),
        ("Bus stops", ("thing", "bus stop")),
        ("Thing", ("thing",)),
        ("Full name", ("thing",)),
        ("Order no", ("thing", "order")),
        ("Serial no", ("thing",)),
        ("Name of whom", ("thing",)),
    ],
)
def test_the_heading_of_names_says_what_rows_are_too(heading, nouns):
    assert infer_names("things.csv", f"{heading},Price\nLamp,20\nMirror,30\n") == ((0,), nouns)


def test_a_column_that_refers_to_another_table_names_nothing():
    found = infer(
        clubs_csv="club,town\nReds,Oslo\nBlues,Bergen\nGreens,Moss\n",
        matches_csv="no,club,score\n1,Reds,3\n2,Blues,1\n3,Greens,2\n",
    )
    assert found["matches.csv"].schema.names == ()
    assert found["clubs.csv"].schema.names == (0,)


def test_a_missing_name_here_and_there_leaves_the_column_a_name():
    rows = "".join(f"{n},{'Dale ' + chr(97 + n) if n else ''},{n % 3}\n" for n in range(26))
    assert infer_names("seats.csv", f"no,constituency,votes\n{rows}")[0] == (1,)


def test_a_name_in_two_numbered_columns_is_both():
    rows = "".join(f"{first},{last},7\n" for first in ("Ann", "Ben") for last in ("Bell", "Kato", "Low"))
    assert infer_names("players.csv", f"name1,name2,hits\n{rows}")[0] == (0, 1)


def test_a_file_that_is_no_list_is_called_by_the_heading_of_its_names():
    text = "country,income\nPeru,3\nKenya,4\nChad,2\n"
    assert infer_names("health-income.csv", text) == ((0,), ("country", "health income"))
    assert infer_names("countries.csv", text) == ((0,), ("country",))
    assert infer_names("flights-2k.csv", "from,to\nA,B\nC,B\n")[1][0] == "flight"


def test_words_name_the_rows_of_a_table_without_headings():
    text = "3,Aer Lingus,EIN,Eire\n7,Air Malta,AMC,Malta\n9,Ben Air,BNA,Oman\n12,Cy Jet,CYJ,Fiji\n15,Delta,DAL,USA\n"
    assert infer_names("airlines.dat", text) == ((1,), ("airline",))


def test_a_broken_row_leaves_a_table_without_headings_a_table():
    rows = "".join(
        f"{number},{name} Air,A{number},{number * 3}\n" for number, name in enumerate("ABCDEFGHIJKLMNOPQRST")
    )
    assert infer_names("airlines.dat", f"{rows}31,Zed Air\n") == ((1,), ("airline",))


def test_names_for_people_go_before_names_for_machines():
    text = "id,name,localized name\n1,npc_axe,Axe\n2,npc_crystal_maiden,Crystal Maiden\n3,npc_drow,Drow Ranger\n"
    assert infer_names("heroes.csv", text) == ((2,), ("hero",))


def test_days_written_as_numbers_name_nothing():
    text = "service_id,date,change\nW,20150209,1\nW,20150210,1\nS,20150211,2\nS,20150212,1\nW,20150213,1\n"
    assert infer_names("calendar_dates.csv", text)[0] == ()


def test_either_half_of_a_heading_may_say_that_it_names():
    names = ("Ada Oak", "Bo Ash", "Cy Elm", "", "Di Fir", "Ed Yew", "Bo Ash", "Flo May")
    rows = "".join(f"https://h.example/{number},{name},{number * 7}\n" for number, name in enumerate(names))
    assert infer_names("heroes.csv", f"url,Name/Alias,fights\n{rows}") == ((1,), ("hero",))
