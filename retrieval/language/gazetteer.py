"""What every reader of English knows about names: peoples, faiths and where they belong, short given names."""

from __future__ import annotations

from collections import defaultdict

_PEOPLES = """
    afghanistan: afghan; albania: albanian; algeria: algerian; andorra: andorran; angola: angolan;
    argentina: argentinian argentine; armenia: armenian; australia: australian aussie; austria: austrian;
    azerbaijan: azerbaijani azeri; bahamas: bahamian; bahrain: bahraini; bangladesh: bangladeshi;
    barbados: barbadian; belarus: belarusian; belgium: belgian; belize: belizean; benin: beninese; bhutan: bhutanese;
    bolivia: bolivian; bosnia and herzegovina: bosnian; brazil: brazilian; bulgaria: bulgarian; burundi: burundian;
    cambodia: cambodian khmer; cameroon: cameroonian; canada: canadian; chad: chadian; chile: chilean;
    china: chinese; colombia: colombian; congo: congolese; costa rica: costarican; croatia: croatian croat;
    cuba: cuban; cyprus: cypriot; czech republic: czech; denmark: danish dane; dominican republic: dominican;
    ecuador: ecuadorian; egypt: egyptian; england: english; eritrea: eritrean; estonia: estonian;
    ethiopia: ethiopian; europe: european; fiji: fijian; finland: finnish finn; france: french; gabon: gabonese;
    gambia: gambian; georgia: georgian; germany: german; ghana: ghanaian; greece: greek; guatemala: guatemalan;
    guinea: guinean; guyana: guyanese; haiti: haitian; honduras: honduran; hungary: hungarian;
    iceland: icelandic icelander; india: indian; indonesia: indonesian; iran: iranian persian; iraq: iraqi;
    ireland: irish; israel: israeli; italy: italian; jamaica: jamaican; japan: japanese; jordan: jordanian;
    kazakhstan: kazakh; kenya: kenyan; kuwait: kuwaiti; kyrgyzstan: kyrgyz; laos: laotian; latvia: latvian;
    lebanon: lebanese; liberia: liberian; libya: libyan; liechtenstein: liechtensteiner; lithuania: lithuanian;
    luxembourg: luxembourgish; madagascar: malagasy; malawi: malawian; malaysia: malaysian; maldives: maldivian;
    mali: malian; malta: maltese; mauritania: mauritanian; mauritius: mauritian; mexico: mexican; moldova: moldovan;
    monaco: monegasque; mongolia: mongolian mongol; montenegro: montenegrin; morocco: moroccan;
    mozambique: mozambican; myanmar: burmese; namibia: namibian; nepal: nepali nepalese; netherlands: dutch;
    new zealand: kiwi; nicaragua: nicaraguan; niger: nigerien; nigeria: nigerian; norway: norwegian; oman: omani;
    pakistan: pakistani; palestine: palestinian; panama: panamanian; paraguay: paraguayan; peru: peruvian;
    philippines: filipino filipina philippine; poland: polish pole; portugal: portuguese; puerto rico: puertorican;
    qatar: qatari; romania: romanian; russia: russian; rwanda: rwandan; samoa: samoan; saudi arabia: saudi;
    scotland: scottish scot; senegal: senegalese; serbia: serbian serb; sierra leone: sierraleonean;
    singapore: singaporean; slovakia: slovak slovakian; slovenia: slovenian slovene; somalia: somali somalian;
    south africa: southafrican; south korea: korean southkorean; north korea: northkorean; spain: spanish spaniard;
    sri lanka: srilankan; sudan: sudanese; sweden: swedish swede; switzerland: swiss; syria: syrian;
    taiwan: taiwanese; tajikistan: tajik; tanzania: tanzanian; thailand: thai; tibet: tibetan; togo: togolese;
    tonga: tongan; trinidad and tobago: trinidadian; tunisia: tunisian; turkey: turkish turk; uganda: ugandan;
    ukraine: ukrainian; united arab emirates: emirati; united kingdom: british briton brit;
    united states: american; united states of america: american; uruguay: uruguayan; uzbekistan: uzbek;
    venezuela: venezuelan; vietnam: vietnamese; wales: welsh; yemen: yemeni; zambia: zambian; zimbabwe: zimbabwean
"""
_FAITHS_AND_REGIONS = """
    catholicism: catholic; protestantism: protestant; islam: islamic muslim; judaism: jewish; christianity: christian;
    hinduism: hindu; buddhism: buddhist; sikhism: sikh; soviet union: soviet; roman empire: roman;
    ottoman empire: ottoman; byzantine empire: byzantine; africa: african; asia: asian; latin america: latino;
    hawaii: hawaiian; texas: texan; california: californian; alaska: alaskan; bavaria: bavarian; prussia: prussian;
    saxony: saxon; catalonia: catalan; sicily: sicilian; tuscany: tuscan; brittany: breton; flanders: flemish;
    corsica: corsican; crete: cretan
"""
_SHORT = """
    abraham: abe; albert: al bert; alexander: alex; andrew: andy drew; anthony: tony; arthur: art; barbara: barb;
    benjamin: ben benny; catherine: kate cathy katie; charles: charlie chuck; christina: tina; christine: chris;
    christopher: chris; clifford: cliff; daniel: dan danny; david: dave; deborah: debbie; dorothy: dot dottie;
    donald: don donnie; douglas: doug; edward: ed eddie ted teddy ned; edwin: ed; eleanor: nell ellie;
    elizabeth: liz beth betty lizzie eliza bess; eugene: gene; frances: fran; francis: frank; franklin: frank;
    frederick: fred freddie; gabriel: gabe; gerald: jerry gerry; gregory: greg; harold: harry hal;
    henry: harry hank; isaac: ike; jacob: jake; jacqueline: jackie; james: jim jimmy jamie; janet: jan;
    jeffrey: jeff; jennifer: jen jenny; jessica: jess; john: jack johnny; jonathan: jon; joseph: joe joey;
    joshua: josh; judith: judy; katherine: kate kathy katie; kathleen: kathy; kenneth: ken kenny; lawrence: larry;
    leonard: len lenny; louis: lou; margaret: maggie meg peggy; martin: marty; matthew: matt; maximilian: max;
    michael: mike mick mickey; mitchell: mitch; nathaniel: nat nate; nicholas: nick; pamela: pam;
    patricia: pat patty; patrick: pat; peter: pete; philip: phil; randolph: randy; raymond: ray; rebecca: becky;
    richard: rick dick rich ricky; robert: bob bobby rob robbie; ronald: ron ronnie; samuel: sam sammy;
    sandra: sandy; shaquille: shaq; stanley: stan; stephen: steve; steven: steve; susan: sue susie;
    theodore: ted teddy theo; thomas: tom tommy; timothy: tim; victoria: vicky; vincent: vince; virginia: ginny;
    walter: walt; william: bill billy will willie; zachary: zach zack
"""


def _parse_inverted(text: str) -> dict[str, tuple[str, ...]]:
    """``long: short short; ...`` as what each short form stands for."""
    names_by_form: defaultdict[str, list[str]] = defaultdict(list)
    for entry in text.split(";"):
        name, _, forms = entry.partition(":")
        for form in forms.split():
            names_by_form[form].append(name.strip())
    return {form: tuple(names) for form, names in names_by_form.items()}


_COUNTRIES = _parse_inverted(f"{_PEOPLES};{_FAITHS_AND_REGIONS}")
_GIVEN_NAMES = _parse_inverted(_SHORT)


def find_countries(people: str) -> tuple[str, ...]:
    """Normalised names of the country, region or faith of a people or language, most usual last; none for other words.

    Args:
        people: normalised, singular or plural, one word or several: "british", "danes", "puerto rican".
    """
    word = people.replace(" ", "")
    return _COUNTRIES.get(word) or _COUNTRIES.get(word.removesuffix("s"), ())


def expand_given_name(name: str) -> list[str]:
    """A person's normalised name with the given name in full: "jackie kennedy" as "jacqueline kennedy"."""
    first, _, rest = name.partition(" ")
    return [f"{full} {rest}" for full in _GIVEN_NAMES.get(first, ()) if rest]
