"""Knowledge graphs: readers -> snapshot -> search. Light: numpy only, the readers' parsers load on use."""
