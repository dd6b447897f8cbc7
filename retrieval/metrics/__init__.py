"""What is counted of answers: scores and their intervals. Plain Python and numpy, for the web application too."""
