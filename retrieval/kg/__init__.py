"""Knowledge graphs: readers -> build -> snapshot -> search. Light: numpy only, the readers' parsers load on use."""
