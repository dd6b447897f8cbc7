"""Documents: text in, passages out. Each reader gives blocks under headings; ``splitting`` makes passages of them."""
