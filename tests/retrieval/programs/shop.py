"""A tiny shop whose products and orders lack some values, and tables of every kind over it."""

from pathlib import Path

from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import Constant, Filter, Having, Key, Operation, Walk
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    Condition,
    DatePart,
    Grouping,
    Measure,
    Ordering,
    Table,
    Tally,
)

from .land import Land

FACTS = [
    ("anvil", "type", "product"),
    ("bolt", "type", "product"),
    ("clamp", "type", "product"),
    ("drill", "type", "product"),
    ("etui", "type", "product"),
    ("anvil", "category", "heavy"),
    ("drill", "category", "heavy"),
    ("clamp", "category", "light"),
    ("bolt", "category", "light"),
    ("bolt", "category", "steel"),
    ("anvil", "price", "£80"),
    ("bolt", "price", "£2"),
    ("clamp", "price", "£8"),
    ("drill", "price", "£80"),
    ("anvil", "weight", "40 kg"),
    ("bolt", "weight", "500 g"),
    ("clamp", "weight", "0 kg"),
    ("o1", "product", "anvil"),
    ("o2", "product", "bolt"),
    ("o3", "product", "bolt"),
    ("o4", "product", "clamp"),
    ("o1", "date", "2021-03-05"),
    ("o2", "date", "2021-03-31"),
    ("o3", "date", "2021-04-01"),
    ("o4", "date", "2022-03-01"),
    ("o1", "profit", "30"),
    ("o2", "profit", "1"),
    ("o3", "profit", "-1"),
    ("o4", "profit", "4"),
    ("Peru", "borders", "Chile"),
    ("Chile", "borders", "Peru"),
    ("Chile", "borders", "Bolivia"),
    ("Bolivia", "borders", "Chile"),
    ("Peru", "area", "1285 km²"),
    ("Chile", "area", "756 km²"),
]


def build(path: Path) -> Snapshot:
    """The snapshot of the shop."""
    return build_snapshot(TripleTable.from_facts(FACTS), path)


def make_tables(shop: Land) -> dict[str, Table]:
    """Tables by what they say."""
    products = Walk(shop.e("product"), shop.r("-type"))
    orders = Having(shop.r("profit"))
    category, price, weight = shop.r("category"), Key((shop.r("price"),)), Key((shop.r("weight"),))
    profit, date = Key((shop.r("profit"),)), (shop.r("date"),)
    in_2021 = Filter(orders, Key(date), Comparison.EQUAL, Constant(2021.0))
    by_category, each = (Grouping((category,)),), Grouping()
    most = Ordering(1, descending=True)
    return {
        "products with prices and weights": Table(
            products, (Attribute((shop.r("price"),)), Attribute((shop.r("weight"),)))
        ),
        "products with categories": Table(products, (Attribute((category,)),)),
        "price per kilo": Table(
            products, (Measure(price), Measure(weight), Calculation(Operation.RATIO, 1, 2)), order=(Ordering(3, True),)
        ),
        "products per category, most first": Table(products, (Tally(),), by_category, order=(most,)),
        "categories with two products": Table(
            products, (Tally(),), by_category, (Condition(1, Comparison.AT_LEAST, Constant(2.0)),)
        ),
        "prices per category": Table(
            products,
            tuple(Measure(price, how) for how in (Folding.SUM, Folding.AVERAGE, Folding.LEAST, Folding.MOST)),
            by_category,
        ),
        "dearest product of each category": Table(
            products, (Attribute((), None, price), Attribute((), None, price, largest=False)), by_category
        ),
        "profit per month": Table(orders, (Measure(profit, Folding.SUM),), (Grouping(date, DatePart.MONTH),)),
        "profit per year": Table(orders, (Measure(profit, Folding.SUM),), (Grouping(date, DatePart.YEAR),)),
        "orders per month of the year": Table(orders, (Tally(),), (Grouping(date, DatePart.MONTH_OF_YEAR),)),
        "profit per product and year": Table(
            orders,
            (Measure(profit, Folding.SUM),),
            (Grouping((shop.r("product"),)), Grouping(date, DatePart.YEAR)),
            order=(Ordering(1), Ordering(0, True)),
        ),
        "profit per product in 2021": Table(
            products, (Measure(Key((shop.r("-product"), shop.r("profit")), among=in_2021, folding=Folding.SUM)),)
        ),
        "share of the profit": Table(
            orders,
            (Measure(profit, Folding.SUM), Calculation(Operation.SHARE, 1)),
            (Grouping((shop.r("product"),)),),
        ),
        "share of cheap ones": Table(
            products,
            (Tally((), Filter(products, price, Comparison.LESS, Constant(5.0))), Tally(),
             Calculation(Operation.SHARE, 1, 2)),
            by_category,
        ),
        "totals": Table(products, (Tally(), Measure(price, Folding.SUM), Measure(price, Folding.AVERAGE)), ()),
        "two dearest": Table(products, (Measure(price),), order=(most,), limit=1),
        "third place": Table(products, (Measure(price),), order=(most,), limit=3),
        "profit less the price": Table(
            orders, (Measure(profit), Measure(Key((shop.r("product"), shop.r("price")))),
                     Calculation(Operation.DIFFERENCE, 1, 2), Calculation(Operation.SUM, 1, 2),
                     Calculation(Operation.PRODUCT, 1, 2)),
        ),
        "by name": Table(products, (Attribute((category,)),), order=(Ordering(1, True), Ordering(0))),
        "pairs of neighbours": Table(
            Having(shop.r("borders")), (Attribute((shop.r("area"),), 0), Attribute((shop.r("area"),), 1)),
            (each, Grouping((shop.r("borders"),))),
        ),
        "orders per product with few": Table(
            orders, (Tally(), Tally((shop.r("product"), category))), (Grouping((shop.r("product"),)),),
            (Condition(1, Comparison.LESS, Constant(2.0)),), (Ordering(0),),
        ),
        "nothing": Table(Walk(shop.e("heavy"), shop.r("borders")), (Tally(),), by_category),
        "sum of nothing": Table(
            Walk(shop.e("heavy"), shop.r("borders")),
            (Tally(), Measure(price, Folding.SUM), Calculation(Operation.SHARE, 1, 1)), (),
        ),
    }  # fmt: skip
