"""Names that say what they are of: a graph of Norway and Latvia speaks of countries, whatever it calls them."""

from __future__ import annotations

_COUNTRIES = """
Afghanistan|Albania|Algeria|Andorra|Angola|Antigua and Barbuda|Argentina|Armenia|Australia|Austria|Azerbaijan|
Bahamas|Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia and Herzegovina|
Botswana|Brazil|Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Cape Verde|
Central African Republic|Chad|Chile|China|Colombia|Comoros|Congo|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|
Czechia|Denmark|Djibouti|Dominica|Dominican Republic|East Timor|Ecuador|Egypt|El Salvador|England|
Equatorial Guinea|Eritrea|Estonia|Eswatini|Ethiopia|Fiji|Finland|France|Gabon|Gambia|Georgia|Germany|Ghana|
Greece|Grenada|Guatemala|Guinea|Guinea-Bissau|Guyana|Haiti|Honduras|Hungary|Iceland|India|Indonesia|Iran|Iraq|
Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kiribati|Kosovo|Kuwait|Kyrgyzstan|Laos|
Latvia|Lebanon|Lesotho|Liberia|Libya|Liechtenstein|Lithuania|Luxembourg|Madagascar|Malawi|Malaysia|Maldives|
Mali|Malta|Mauritania|Mauritius|Mexico|Micronesia|Moldova|Monaco|Mongolia|Montenegro|Morocco|Mozambique|
Myanmar|Namibia|Nauru|Nepal|Netherlands|New Zealand|Nicaragua|Niger|Nigeria|North Korea|North Macedonia|
Northern Ireland|Norway|Oman|Pakistan|Palau|Panama|Papua New Guinea|Paraguay|Peru|Philippines|Poland|Portugal|
Qatar|Romania|Russia|Rwanda|Samoa|San Marino|Saudi Arabia|Scotland|Senegal|Serbia|Seychelles|Sierra Leone|
Singapore|Slovakia|Slovenia|Somalia|South Africa|South Korea|South Sudan|Spain|Sri Lanka|Sudan|Suriname|Sweden|
Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo|Tonga|Trinidad and Tobago|Tunisia|Turkey|
Turkmenistan|Tuvalu|UAE|UK|USA|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States|
United States of America|Uruguay|Uzbekistan|Vanuatu|Vatican City|Venezuela|Vietnam|Wales|Yemen|Zambia|Zimbabwe
"""
_LANGUAGES = """
Afrikaans|Albanian|Arabic|Armenian|Basque|Bengali|Bulgarian|Catalan|Chinese|Croatian|Czech|Danish|Dutch|
English|Estonian|Finnish|French|Georgian|German|Greek|Gujarati|Hebrew|Hindi|Hungarian|Icelandic|Indonesian|
Irish|Italian|Japanese|Javanese|Korean|Latin|Latvian|Lithuanian|Malay|Mandarin|Marathi|Norwegian|Persian|
Polish|Portuguese|Punjabi|Romanian|Russian|Serbian|Slovak|Slovenian|Spanish|Swahili|Swedish|Tagalog|Tamil|
Telugu|Thai|Turkish|Ukrainian|Urdu|Vietnamese|Welsh
"""
_COLOURS = "black|white|red|green|blue|yellow|orange|purple|violet|pink|brown|grey|gray|silver|gold|beige|turquoise"
CLASSES = {
    noun: frozenset(name.strip().casefold() for name in names.split("|"))
    for noun, names in {
        "country": _COUNTRIES,
        "language": _LANGUAGES,
        "continent": "Africa|Antarctica|Asia|Australia|Europe|North America|Oceania|South America",
        "month": "January|February|March|April|May|June|July|August|September|October|November|December",
        "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
        "day": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
        "season": "spring|summer|autumn|fall|winter",
        "colour": _COLOURS,
        "color": _COLOURS,
    }.items()
}
"""By a noun, the names of what it stands for, in lower case."""
