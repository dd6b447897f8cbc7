"""What settings of the methods that read passages do, in words: several classes of settings have them."""

READER = (
    "Who reads short answers in passages where no language model answers: what was trained beside the text encoder "
    "that comes with Clew, or rules alone, as with any other encoder [a language model]."
)

DECOMPOSE = (
    "Ask first for what a question describes without naming it (the country where the Bubye River is found), put the "
    "answer in its place and ask again, in up to three steps; the trained reader answers each [no]."
)
