"""Workbooks as people bring them: several sheets, titles above headers, totals below."""

import datetime
import zipfile

import openpyxl
import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.number_formats import format_number
from retrieval.kg.readers.workbooks import is_workbook
from retrieval.kg.table import ROW

ORDERS = [
    ["Orders of the spring"],
    [],
    ["Order no", "Customer", "Date", "Amount", "Paid"],
    [1, "Ann Lee", datetime.datetime(2024, 3, 1), 12.5, True],
    [2, "Bob", datetime.date(2024, 4, 2), 30.0, False],
    ["Total", None, None, 42.5],
]
CUSTOMERS = [["Name", "City"], ["Ann Lee", "Oslo"], ["Bob", "Rome"]]


@pytest.fixture
def book(tmp_path):
    def write(name="shop.xlsx", **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / name)
        return tmp_path / name

    return write


def said(path):
    problems = []
    table = read_graph(path, problems=problems.append)
    rows = [] if table.node_attributes is None else table.node_attributes.rows()
    return {tuple(row) for row in rows}, table, problems


def test_each_sheet_is_a_table_called_as_it_is(book):
    rows, table, problems = said(book(Orders=ORDERS, Customers=CUSTOMERS, Notes=[]))
    assert rows == {
        ("order 1", "type", "order"),
        ("order 1", "Order no", "1"),
        ("order 1", "Customer", "Ann Lee"),
        ("order 1", "Date", "2024-03-01"),
        ("order 1", "Amount", "12.5"),
        ("order 1", "Paid", "yes"),
        ("order 2", "type", "order"),
        ("order 2", "Order no", "2"),
        ("order 2", "Customer", "Bob"),
        ("order 2", "Date", "2024-04-02"),
        ("order 2", "Amount", "30"),
        ("order 2", "Paid", "no"),
        ("Ann Lee", "type", "customer"),
        ("Ann Lee", "City", "Oslo"),
        ("Bob", "type", "customer"),
        ("Bob", "City", "Rome"),
    }
    assert [report.name for report in table.reports] == ["shop.xlsx/Orders.csv", "shop.xlsx/Customers.csv"]
    assert [(one.line, one.message) for one in problems] == [(6, "left out: it adds up the rows above")]


def test_the_only_sheet_without_a_name_is_called_as_the_book_is(book):
    rows, _, _ = said(book("cities.xlsx", Sheet1=CUSTOMERS))
    assert ("Bob", "type", "city") in rows


def test_headings_are_made_to_differ_and_empty_columns_are_left_out(book):
    rows, _, _ = said(
        book(
            "songs.xlsx",
            Songs=[["Name", None, "Year", "Year"], ["Red", None, 1999, 2001], ["Blue", None, 2000, 2002]],
        )
    )
    assert {row[1:] for row in rows if row[0] == "Red" and row[1] != ROW} == {
        ("type", "song"),
        ("Year", "1999"),
        ("Year 2", "2001"),
    }


def test_years_are_headings(book):
    rows, _, _ = said(book("gdp.xlsx", Countries=[["Country", 2019, 2020], ["Norway", 5, 6], ["Italy", 7, 8]]))
    assert ("Italy", "2020", "8") in rows


def test_a_sheet_of_facts_holds_facts(book):
    _, table, _ = said(book(Facts=[["head", "relation", "tail"], ["Ann", "knows", "Bob"]]))
    assert table.facts.rows() == [("Ann", "knows", "Bob")]


def test_hidden_sheets_are_passed_over(book, tmp_path):
    path = book(Orders=ORDERS, Customers=CUSTOMERS)
    opened = openpyxl.load_workbook(path)
    opened["Orders"].sheet_state = "hidden"
    opened.save(path)
    _, table, _ = said(path)
    assert [report.name for report in table.reports] == ["shop.xlsx/Customers.csv"]


def test_a_workbook_in_an_archive_is_read(book, tmp_path):
    path = book(Customers=CUSTOMERS)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(path, "data/shop.xlsx")
    rows, _, _ = said(tmp_path / "all.zip")
    assert ("Bob", "City", "Rome") in rows
    assert read_preview(tmp_path / "all.zip").rows[0] == ("Ann Lee", "type", "customer")


def test_a_preview_shows_the_first_table_and_names_all(book):
    found = read_preview(book(Orders=ORDERS, Customers=CUSTOMERS))
    assert (found.format, found.header_cells) == ("table", ("Order no", "Customer", "Date", "Amount", "Paid"))
    assert [name for name, _ in found.members] == ["Orders.csv", "Customers.csv"]
    assert found.notes == ("The file holds 2 tables; this is Orders.",)


def test_a_book_without_tables_says_so(book):
    with pytest.raises(EmptySourceError, match=r"shop\.xlsx holds no table"):
        said(book(Empty=[]))


@pytest.mark.parametrize("content", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, None])
def test_what_cannot_be_read_says_what_to_do(book, tmp_path, content):
    path = tmp_path / "broken.xls"
    whole = book(Customers=CUSTOMERS).read_bytes()
    if content is None:  # a part of the book is broken
        with zipfile.ZipFile(tmp_path / "shop.xlsx") as old, zipfile.ZipFile(path, "w") as new:
            for entry in old.namelist():
                new.writestr(entry, b"<broken" if "sheet1" in entry else old.read(entry))
    else:
        path.write_bytes(content)
    assert is_workbook(path)
    assert whole
    with pytest.raises(SourceError, match=r"broken\.xls is not a workbook that can be read") as caught:
        said(path)
    assert "as xlsx or CSV" in caught.value.hint


def test_a_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (64 << 20))
    with pytest.raises(SourceError, match="as a bomb does"):
        said(path)


def test_other_office_files_are_no_workbooks(tmp_path):
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document/>")
    assert not is_workbook(tmp_path / "letter.docx")
    with pytest.raises(SourceError, match="Office file"):
        said(tmp_path / "letter.docx")


def test_merged_cells_fill_their_range_and_titles_do_not(book):
    path = book(
        "staff.xlsx",
        Staff=[
            ["Staff of the year", None, None],
            ["Region", "Name", "Desk"],
            ["North", "Ada", "1a"],
            [None, "Bo", "2a"],
            ["South", "Cy", None],
        ],
    )
    edited = openpyxl.load_workbook(path)
    for cells in ("A1:C1", "A3:A4"):
        edited["Staff"].merge_cells(cells)
    edited.save(path)
    rows, _, _ = said(path)
    regions = {(name, value) for name, key, value in rows if key == "Region"}
    assert regions == {("Ada", "North"), ("Bo", "North"), ("Cy", "South")}


def test_headings_over_several_columns_are_joined_with_those_below(book):
    path = book(
        "shops.xlsx",
        Shops=[
            ["Shop", "Costs", None, "Income", None],
            [None, "Rent", "Staff", "Bar", "Food"],
            ["Oslo", 1, 2, 3, 4],
        ],
    )
    edited = openpyxl.load_workbook(path)
    for cells in ("A1:A2", "B1:C1", "D1:E1"):
        edited["Shops"].merge_cells(cells)
    edited.save(path)
    rows, _, _ = said(path)
    assert {(key, value) for _, key, value in rows if value.isdigit() and key != ROW} == {
        ("Costs Rent", "1"), ("Costs Staff", "2"), ("Income Bar", "3"), ("Income Food", "4"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (45, "00000", "00045"),
        (12345678, "000-00-0000", "012-34-5678"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (7, '"INV-"0000', "INV-0007"),
        (0.1234, "0%", "12.34%"),
        (-4.5, '"$"#,##0.00_);("$"#,##0.00)', "-$4.50"),
        (12, "#,##0.00 [$€-407]", "12.00 €"),
        (2.5, '0.00" kg"', "2.50 kg"),
        (1234.5, "#,##0.00", None),
        (5, "General", None),
        (45000, "yyyy-mm-dd", None),
        (0.5, "# ?/?", None),
    ],
)
def test_numbers_are_kept_as_their_cells_show_them(number, code, shown):
    assert format_number(number, code) == shown


def test_codes_of_a_workbook_keep_their_zeros(book):
    path = book("staff.xlsx", Staff=[["Name", "Badge", "Share"], ["Ada", 45, 0.25], ["Bo", 7, 0.5]])
    edited = openpyxl.load_workbook(path)
    for row in edited["Staff"].iter_rows(min_row=2):
        row[1].number_format, row[2].number_format = "00000", "0%"
    edited.save(path)
    rows, _, _ = said(path)
    assert {row for row in rows if row[1] in ("Badge", "Share")} == {
        ("Ada", "Badge", "00045"), ("Ada", "Share", "25%"), ("Bo", "Badge", "00007"), ("Bo", "Share", "50%"),
    }  # fmt: skip
