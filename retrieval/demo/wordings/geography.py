"""One- and two-hop questions about countries, cities, waters, mountains and languages."""

from __future__ import annotations

from retrieval.demo.wordings.forms import Simple

ONE_HOP = (
    Simple(
        "capital",
        ("What is the capital of {}?", "Which city is the capital of {}?", "Name the capital of {}."),
        ("From which city is {} governed?", "{} has which capital city?"),
        count=16,
    ),
    Simple(
        "^capital",
        ("{} is the capital of which country?", "Which country has {} as its capital?"),
        ("Of what country is {} the capital?",),
        count=12,
    ),
    Simple(
        "borders",
        (
            "Which countries border {}?",
            "What are the neighbouring countries of {}?",
            "Which countries share a border with {}?",
            "Name the neighbours of {}.",
        ),
        ("What countries does {} touch?", "Which nations lie next to {}?"),
        count=16,
    ),
    Simple(
        "official_language",
        (
            "What is the official language of {}?",
            "Which languages are official in {}?",
            "What languages are spoken in {}?",
            "Which language do people speak in {}?",
        ),
        ("What do people speak in {}?",),
        count=16,
    ),
    Simple(
        "^official_language",
        (
            "In which countries is {} an official language?",
            "Which countries speak {}?",
            "Where is {} spoken officially?",
        ),
        ("Name the countries whose official languages include {}.",),
        count=10,
    ),
    Simple(
        "currency",
        ("What is the currency of {}?", "What money is used in {}?", "Which currency does {} use?"),
        ("What do people pay with in {}?",),
        count=12,
    ),
    Simple(
        "^currency",
        ("Which countries use the {}?", "Where is the {} the currency?"),
        ("In which countries can you pay with the {}?",),
        count=6,
    ),
    Simple(
        "continent",
        ("On which continent is {}?", "Which continent does {} belong to?"),
        ("What continent is {} part of?",),
    ),
    Simple("region", ("In which region of the world is {}?", "Which part of the world is {} in?"), count=6),
    Simple(
        "largest_city",
        ("What is the largest city in {}?", "What is the biggest city of {}?"),
        ("Which city of {} has the most people?",),
    ),
    Simple("population", ("What is the population of {}?", "How many people live in {}?"), ("How populous is {}?",)),
    Simple("area", ("How large is {}?", "What is the area of {}?"), count=6),
    Simple("internet_domain", ("What is the internet domain of {}?", "Which top-level domain belongs to {}?"), count=5),
    Simple(
        "driving_side",
        ("On which side of the road do they drive in {}?", "Which side do people drive on in {}?"),
        count=5,
    ),
    Simple("form_of_government", ("What form of government does {} have?", "How is {} governed?"), count=5),
    Simple(
        "member_of",
        ("Which organisations is {} a member of?", "What organisations does {} belong to?"),
        ("Which international bodies count {} among their members?",),
    ),
    Simple(
        "^member_of",
        ("Which countries are members of {}?", "What are the member states of {}?"),
        ("Who belongs to {}?",),
        count=8,
    ),
    Simple(
        "headquarters",
        ("Where is the headquarters of {}?", "In which city is {} based?"),
        ("Which city hosts the head office of {}?",),
    ),
    Simple(
        "coast_on",
        ("Which seas and oceans does {} have a coast on?", "Which sea borders the coast of {}?"),
        ("What waters wash the shores of {}?",),
        count=8,
    ),
    Simple("^coast_on", ("Which countries lie on {}?", "Which countries have a coast on {}?"), count=6),
    Simple(
        "independent_from",
        ("Which country did {} gain independence from?", "Who ruled {} before it became independent?"),
    ),
    Simple(
        "^independent_from",
        ("Which countries became independent from {}?",),
        ("Which former colonies broke away from {}?",),
        count=5,
    ),
    Simple("independence_year", ("When did {} become independent?", "In what year did {} gain independence?")),
    Simple(
        "flows_through",
        ("Which countries does {} flow through?", "Through which countries does {} run?"),
        ("What countries does {} cross on its way?",),
        count=12,
    ),
    Simple(
        "^flows_through", ("Which rivers flow through {}?", "What rivers are there in {}?"), ("Which rivers cross {}?",)
    ),
    Simple("flows_into", ("What does {} flow into?", "Where does {} end?"), ("Into which water does {} empty?",)),
    Simple("length", ("How long is {}?", "What is the length of {}?"), count=6),
    Simple(
        "lies_on_river",
        ("Which river flows through the city of {}?", "On which river does {} lie?"),
        ("What river is {} built on?",),
    ),
    Simple("^lies_on_river", ("Which cities lie on {}?", "What cities are on the banks of {}?"), count=6),
    Simple("elevation", ("How high is {}?", "What is the elevation of {}?"), count=8),
    Simple("mountain_in_country", ("In which country is the mountain {}?", "Where is the mountain {}?"), count=8),
    Simple("mountain_range", ("Which mountain range is {} part of?", "To which range does {} belong?"), count=6),
    Simple("^mountain_range", ("Which mountains are in {}?", "Name the peaks of {}."), count=5),
    Simple(
        "highest_mountain",
        ("What is the highest mountain in {}?", "What is the tallest peak of {}?"),
        ("Which mountain tops all others in {}?",),
    ),
    Simple(
        "lake_in_country", ("Which countries is {} in?", "Which countries share {}?"), where="lake_in_country", count=8
    ),
    Simple("^lake_in_country", ("Which lakes are in {}?", "What lakes does {} have?"), count=8),
    Simple(
        "island_of_country",
        ("Which country does the island of {} belong to?", "To which country does {} belong?"),
        count=8,
    ),
    Simple("^island_of_country", ("Which islands belong to {}?", "What islands does {} have?"), count=6),
    Simple(
        "city_in_country",
        ("In which country is the city of {}?", "Which country is {} in?"),
        ("Where in the world is the city of {}?",),
        count=12,
    ),
    Simple(
        "located_in_city",
        ("In which city is {}?", "Where can you visit {}?"),
        ("Which city would you go to for {}?",),
        count=10,
    ),
    Simple("^located_in_city", ("Which landmarks are in {}?", "What sights can you see in {}?"), count=8),
    Simple("university_in_city", ("In which city is {}?", "Where is {}?"), count=8),
    Simple(
        "host_city",
        ("Which city hosted the {}?", "Where were the {} held?"),
        ("What was the venue of the {}?",),
        count=10,
    ),
    Simple("^host_city", ("Which Olympic Games took place in {}?", "Which Olympics did {} host?"), count=6),
    Simple("language_family", ("Which language family does {} belong to?",), count=5),
    Simple("writing_system", ("Which script is {} written in?", "What writing system does {} use?"), count=5),
)

TWO_HOP = (
    Simple(
        "borders official_language",
        (
            "Which languages are spoken in the countries that border {}?",
            "What are the official languages of the neighbours of {}?",
            "What languages do people speak in the countries next to {}?",
            "Which languages are official in the countries bordering {}?",
        ),
        ("What would I hear spoken across the borders of {}?",),
        count=16,
    ),
    Simple(
        "borders capital",
        ("What are the capitals of the countries that border {}?", "Name the capitals of the neighbours of {}."),
        ("Which capital cities belong to the nations next to {}?",),
        count=14,
    ),
    Simple(
        "borders currency",
        ("Which currencies are used in the countries bordering {}?", "What money do the neighbours of {} use?"),
        ("What can you pay with in the countries next to {}?",),
        count=10,
    ),
    Simple(
        "borders borders",
        ("Which countries border the neighbours of {}?",),
        ("What countries are two borders away from {}?",),
        count=8,
    ),
    Simple("borders coast_on", ("Which seas do the neighbours of {} have a coast on?",), count=6, test_only=True),
    Simple("borders member_of", ("Which organisations do the neighbours of {} belong to?",), count=6),
    Simple("^capital borders", ("Which countries border the country whose capital is {}?",), count=8),
    Simple("^capital official_language", ("What languages are spoken in the country whose capital is {}?",), count=8),
    Simple(
        "^capital currency", ("What currency is used in the country with the capital {}?",), count=6, test_only=True
    ),
    Simple(
        "city_in_country official_language",
        (
            "Which language is spoken in the country where {} is?",
            "What is the official language of the country of the city {}?",
        ),
        count=8,
    ),
    Simple("city_in_country continent", ("On which continent is the city of {}?",), count=6),
    Simple("city_in_country capital", ("What is the capital of the country in which the city of {} is?",), count=8),
    Simple("flows_through capital", ("What are the capitals of the countries that {} flows through?",), count=10),
    Simple(
        "flows_through official_language",
        ("Which languages are spoken in the countries that {} flows through?", "What languages are spoken along {}?"),
        count=10,
    ),
    Simple("lies_on_river flows_into", ("Into which water does the river of {} flow?",), count=6),
    Simple("lies_on_river flows_through", ("Which countries does the river that {} lies on flow through?",), count=8),
    Simple(
        "mountain_in_country official_language",
        ("Which languages are spoken in the countries where {} stands?",),
        count=6,
    ),
    Simple("lake_in_country capital", ("What are the capitals of the countries that share {}?",), count=8),
    Simple(
        "highest_mountain elevation",
        ("How high is the highest mountain of {}?", "What is the elevation of the tallest peak in {}?"),
        count=8,
    ),
    Simple("^member_of capital", ("What are the capitals of the members of {}?",), count=6),
    Simple(
        "headquarters city_in_country",
        ("In which country is {} based?", "Which country is home to the headquarters of {}?"),
        count=8,
    ),
    Simple(
        "host_city city_in_country", ("Which country hosted the {}?", "In which country were the {} held?"), count=10
    ),
    Simple(
        "capital lies_on_river",
        ("Which river flows through the capital of {}?", "On what river does the capital of {} lie?"),
        count=10,
    ),
    Simple(
        "capital ^born_in",
        ("Who was born in the capital of {}?", "Which famous people come from the capital of {}?"),
        count=8,
    ),
    Simple("capital ^located_in_city", ("Which landmarks are in the capital of {}?",), count=8),
    Simple("official_language ^official_language", ("Which countries share an official language with {}?",), count=8),
    Simple("official_language writing_system", ("In which script is the official language of {} written?",), count=6),
    Simple(
        "official_language language_family",
        ("Which language family does the official language of {} belong to?",),
        count=6,
        test_only=True,
    ),
)
