"""Texts of many languages in the encodings that their files are found in, told by their bytes alone."""

from __future__ import annotations

import pytest

from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.decoding import find_encoding, resolve_encoding

TEXTS = {
    "German": (
        "Die Straße führt über eine schöne Brücke nach Österreich. Größere Schiffe müssen früh wenden, weil der Fluß "
        "später schmäler wird."
    ),
    "German, short": "Köln\tliegt in\tNordrhein-Westfalen\nMünchen\tliegt in\tBayern\nWien\tHauptstadt von\tÖsterreich",
    "German, quoted": "Er sagte: „Das weiß ich nicht“ – und ging über die Straße…",
    "French": "L’été dernier, nous avons visité un château près de Besançon ; c’était très agréable.",
    "Spanish": "¿Dónde está el niño? El señor Muñoz vivió muchos años en España, según la canción.",
    "Portuguese": "A população não sabe que o coração do país é São Paulo; as eleições serão amanhã.",
    "Italian": "La città è più bella di sera, perché c'è silenzio e così si può passeggiare.",
    "Danish": "Øen ligger på den anden side af åen, og børnene græd hele vejen hjem.",
    "Swedish": "Räven åt från våra höns, och på kvällen såg vi älgar vid sjön.",
    "Icelandic": "Það er gott að búa á Íslandi því að þar er mjög fallegt og loftið hreint.",
    "Polish": "Zażółć gęślą jaźń. Wisła płynie przez Kraków, a mieszkańcy lubią żurek i pączki.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Město leží na řece Vltavě.",
    "Hungarian": "Az ősz gyümölcsei közül a szőlő a legkedveltebb; a főváros, Budapest, a Dunánál fekszik. Űrhajó.",
    "Russian": "Москва — столица России. Здесь живут миллионы людей, и каждый год приезжают новые.",
    "Russian, capitals": "СОЮЗ ПИСАТЕЛЕЙ РОССИИ НАХОДИТСЯ В МОСКВЕ И ИЗДАЁТ КНИГИ О ПРИРОДЕ",
    "Ukrainian": "Київ — столиця України, її найбільше місто; тут живуть мільйони людей і працює багато підприємств.",
    "Greek": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και βρίσκεται στην Αττική.",
    "Turkish": "Şehir, boğazın iki yakasında kuruldu; çocuklar ağaçların altında güneşten kaçıyor.",
    "Lithuanian": "Vilnius įsikūręs prie Neries; čia gyvena žmonės, kurie mėgsta šaltibarščius ir ąžuolus.",
    "Hebrew": "ירושלים היא עיר הבירה של ישראל והעיר הגדולה ביותר בה",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *((name, "cp1252") for name in list(TEXTS)[:10]),
        ("German", "latin-1"),
        ("German, short", "latin-1"),
        ("Spanish", "latin-1"),
        ("Polish", "cp1250"),
        ("Polish", "iso8859-2"),
        ("Czech", "cp1250"),
        ("Hungarian", "cp1250"),
        ("Russian", "cp1251"),
        ("Russian", "koi8-r"),
        ("Russian", "cp866"),
        ("Russian, capitals", "cp1251"),
        ("Ukrainian", "cp1251"),
        ("Greek", "cp1253"),
        ("Turkish", "cp1254"),
        ("Lithuanian", "cp1257"),
        ("Hebrew", "cp1255"),
        ("German", "cp850"),
    ],
)
@pytest.mark.parametrize("times", [1, 40])
def test_a_text_is_read_in_its_own_letters(language: str, encoding: str, times: int) -> None:
    text = "\n".join([TEXTS[language]] * times)
    if encoding == "koi8-r" or encoding.startswith(("iso", "latin", "cp8")):
        text = text.translate({0x2014: "-", 0x2013: "-", 0x201E: '"', 0x201C: '"', 0x2026: "...", 0x2019: "'"})
    data = text.encode(encoding)
    assert data.decode(find_encoding(data)) == text


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"])
def test_characters_of_several_bytes_are_told(encoding: str) -> None:
    said = {
        "gb18030": "北京是中华人民共和国的首都，也是全国的政治中心和文化中心。这里有许多著名的大学。",
        "big5": "臺北是臺灣的首都，也是全國的政治中心和文化中心。這裡有許多著名的大學。",
        "euc_kr": "서울은 대한민국의 수도이자 최대 도시이다. 한강을 끼고 있으며 많은 사람이 산다.",
    }.get(encoding, "東京は日本の首都です。とても大きな街で、たくさんの人が住んでいます。電車が便利です。")
    data = "\n".join([said] * 20).encode(encoding)
    assert data.decode(find_encoding(data)) == "\n".join([said] * 20)


def test_letters_beside_much_english_are_read(tmp_path: object) -> None:
    data = ("The quick brown fox jumps over the lazy dog. " * 500 + "A café in Zürich.").encode("latin-1")
    assert find_encoding(data) == "cp1252"


def test_a_page_may_say_its_encoding_and_nothing_else() -> None:
    page = '<meta charset="{}"><p>Gr\xfc\xdfe</p>'
    assert find_encoding(page.format("iso-8859-15").encode("latin-1"), html=True) == "iso8859-15"
    for odd in ("hex", "rot13", "idna", "punycode", "unicode_escape", "undefined", "utf-7", "klingon"):
        assert find_encoding(page.format(odd).encode("latin-1"), html=True) == "cp1252"
        assert resolve_encoding(odd) is None
    assert resolve_encoding("a\0b") is None
    assert resolve_encoding("\ud800") is None
    assert resolve_encoding("Latin1") == "iso8859-1"


NAMES = {
    "cp1252": ["La Niñera", "Große Fahrt", "Café Zürich"],
    "cp1250": ["Łódź", "Gdańsk", "Györ", "Plzeň"],
    "cp1251": ["Москва", "Казань", "Новосибирск"],
    "koi8-r": ["Москва", "Казань", "Новосибирск"],
    "cp1253": ["Αθήνα", "Θεσσαλονίκη", "Πάτρα"],
    "shift_jis": ["東京", "カメラ", "さくら"],
    "gb18030": ["北京", "上海", "中国"],
    "cp949": ["서울", "부산", "대한민국"],
    "utf-16-le": ["Łódź", "Москва"],
    "utf-16-be": ["Łódź", "Москва"],
}


@pytest.mark.parametrize("encoding", NAMES)
@pytest.mark.parametrize("place", ["early", "late"])
def test_a_table_is_read_in_its_encoding_wherever_its_letters_stand(tmp_path, encoding, place) -> None:
    plain = [f"Film {i},Director {i},{1900 + i % 90}" for i in range(9_000)]
    rows = [f"{name},Director x,1999" for name in NAMES[encoding]]
    lines = ["title,director,year", *(rows + plain if place == "early" else plain + rows)]
    path = tmp_path / "films.csv"
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    table = read_graph(path, problems=pytest.fail)
    assert table.node_attributes is not None
    labels = set(table.node_attributes["label"])
    assert set(NAMES[encoding]) <= labels
    assert len(labels) == len(plain) + len(rows)
    preview = read_preview(path)
    assert preview.encoding == table.reports[0].encoding
    assert any("looks like" in note for note in preview.notes)


def test_lines_that_are_not_utf_8_in_a_file_that_is_are_bad_rows(tmp_path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes("é\tr\tb\nü\tr\tb\n".encode() + b"caf\xe9\tr\tb\n")
    problems = []
    assert len(read_graph(path, problems=problems.append)) == 2
    assert [(problem.line, problem.kind) for problem in problems] == [(3, "encoding")]
