"""What settings of the methods that read passages do, in words: several classes of settings have them."""

READER = (
    "Who reads short answers in passages where no language model answers: what was trained beside the text encoder "
    "that comes with Clew, or rules alone, as with any other encoder [a language model]."
)
