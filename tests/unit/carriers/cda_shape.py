"""What a CDA document has to look like: which elements stand where and in which order, and what values may be.

Written from the standard (CDA R2 with the elements of its `sdtc` namespace, and the data types that it uses), for
what of it stands in documents of our tests, and run by lxml as Relax NG and XPath. It is no copy of a schema and
knows less than one: words of vocabularies are looked at only where they matter here.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape

from lxml import etree

NAMES = {
    "v": "urn:hl7-org:v3", "sdtc": "urn:hl7-org:sdtc", "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}  # fmt: skip
_ENTRIES = "act:Act|encounter:Encounter|observation:Observation|observationMedia:Media|organizer:Organizer|procedure:Procedure|substanceAdministration:Administration|supply:Supply"
_WHO = "subject:Subject? specimen:Specimen* performer:Performer* author:Author* informant:Informant* participant:Participant*"
_MORE = "entryRelationship:Relationship* reference:Reference* precondition:Precondition*"
_REACH = "addr:AD* telecom:TEL*"

# Elements in their order, with their types: ? at most once, * any number, + at least once; (a|b) one of them.
_MODELS = {
    "Document": "id:II code:CE title:ST? effectiveTime:TS confidentialityCode:CE languageCode:CS? setId:II? versionNumber:INT? copyTime:TS? recordTarget:RecordTarget+ author:Author+ dataEnterer:Enterer? informant:Informant* custodian:Custodian informationRecipient:Recipient* legalAuthenticator:Signer? authenticator:Signer* participant:HeadParticipant* inFulfillmentOf:Fulfils* documentationOf:Documents* relatedDocument:Related* authorization:Authorization* componentOf:StayIn? component:Body",
    "RecordTarget": "patientRole:PatientRole",
    "PatientRole": f"id:II+ {_REACH} patient:Patient? providerOrganization:Organization?",
    "Patient": "id:II? name:PN* administrativeGenderCode:CE? birthTime:TS? sdtc:deceasedInd:BL? sdtc:deceasedTime:TS? sdtc:multipleBirthInd:BL? sdtc:multipleBirthOrderNumber:INT? maritalStatusCode:CE? religiousAffiliationCode:CE? raceCode:CE? sdtc:raceCode:CE* ethnicGroupCode:CE? sdtc:ethnicGroupCode:CE* guardian:Guardian* birthplace:Birthplace? languageCommunication:Language*",
    "Guardian": f"id:II* code:CE? {_REACH} (guardianPerson:Person|guardianOrganization:Organization)",
    "Birthplace": "place:Place",
    "Place": "name:EN? addr:AD?",
    "Language": "languageCode:CS? modeCode:CE? proficiencyLevelCode:CE? preferenceInd:BL?",
    "Person": "name:PN*",
    "Organization": "id:II* name:ON* telecom:TEL* addr:AD* standardIndustryClassCode:CE? asOrganizationPartOf:PartOf?",
    "PartOf": "id:II* code:CE? statusCode:CS? effectiveTime:IVL_TS? wholeOrganization:Organization?",
    "Author": "functionCode:CE? time:TS assignedAuthor:AssignedAuthor",
    "AssignedAuthor": f"id:II+ code:CE? {_REACH} (assignedPerson:Person|assignedAuthoringDevice:Tool)? representedOrganization:Organization?",
    "Tool": "code:CE? manufacturerModelName:ST? softwareName:ST?",
    "Enterer": "time:TS? assignedEntity:Assigned",
    "Assigned": f"id:II+ code:CE? {_REACH} assignedPerson:Person? representedOrganization:Organization?",
    "Informant": "(assignedEntity:Assigned|relatedEntity:RelatedEntity)",
    "RelatedEntity": f"code:CE? {_REACH} effectiveTime:IVL_TS? relatedPerson:Person?",
    "Custodian": "assignedCustodian:AssignedCustodian",
    "AssignedCustodian": "representedCustodianOrganization:Keeper",
    "Keeper": "id:II+ name:ON? telecom:TEL? addr:AD?",
    "Recipient": "intendedRecipient:Intended",
    "Intended": f"id:II* {_REACH} informationRecipient:Person? receivedOrganization:Organization?",
    "Signer": "time:TS signatureCode:CS assignedEntity:Assigned",
    "HeadParticipant": "functionCode:CE? time:IVL_TS? associatedEntity:Associated",
    "Associated": f"id:II* code:CE? {_REACH} associatedPerson:Person? scopingOrganization:Organization?",
    "Fulfils": "order:Order",
    "Order": "id:II+ code:CE? priorityCode:CE?",
    "Documents": "serviceEvent:Service",
    "Service": "id:II* code:CE? effectiveTime:IVL_TS? performer:ServicePerformer*",
    "ServicePerformer": "functionCode:CE? time:IVL_TS? assignedEntity:Assigned",
    "Related": "parentDocument:Parent",
    "Parent": "id:II+ code:CD? text:ED? setId:II? versionNumber:INT?",
    "Authorization": "consent:Consent",
    "Consent": "id:II* code:CE? statusCode:CS",
    "StayIn": "encompassingEncounter:Stay",
    "Stay": "id:II* code:CE? effectiveTime:IVL_TS dischargeDispositionCode:CE? responsibleParty:Responsible? encounterParticipant:StayParticipant* location:Location?",
    "Responsible": "assignedEntity:Assigned",
    "StayParticipant": "time:IVL_TS? assignedEntity:Assigned",
    "Location": "healthCareFacility:Facility",
    "Facility": "id:II* code:CE? location:Place? serviceProviderOrganization:Organization?",
    "Body": "(nonXMLBody:Plain|structuredBody:Structured)",
    "Plain": "text:ED confidentialityCode:CE? languageCode:CS?",
    "Structured": "confidentialityCode:CE? languageCode:CS? component:InBody+",
    "InBody": "section:Section",
    "Section": "id:II? code:CE? title:ST? text:Text? confidentialityCode:CE? languageCode:CS? subject:Subject? author:Author* informant:Informant* entry:Entry* component:InBody*",
    "Entry": f"({_ENTRIES})",
    "Relationship": f"sequenceNumber:INT? seperatableInd:BL? ({_ENTRIES})",
    "InOrganizer": f"sequenceNumber:INT? seperatableInd:BL? ({_ENTRIES})",
    "Act": f"id:II* code:CD text:ED? statusCode:CS? effectiveTime:IVL_TS? priorityCode:CE? languageCode:CS? {_WHO} {_MORE}",
    "Encounter": f"id:II* code:CD? text:ED? statusCode:CS? effectiveTime:IVL_TS? priorityCode:CE? {_WHO} {_MORE}",
    "Observation": f"id:II* code:CD derivationExpr:ST? text:ED? statusCode:CS? effectiveTime:IVL_TS? priorityCode:CE? repeatNumber:INT? languageCode:CS? value:ANY* interpretationCode:CE* methodCode:CE* targetSiteCode:CD* {_WHO} {_MORE} referenceRange:Range*",
    "Media": f"id:II* languageCode:CS? value:ED {_WHO} {_MORE}",
    "Organizer": f"id:II* code:CD? statusCode:CS effectiveTime:IVL_TS? {_WHO} reference:Reference* precondition:Precondition* component:InOrganizer*",
    "Procedure": f"id:II* code:CD? text:ED? statusCode:CS? effectiveTime:IVL_TS? priorityCode:CE? languageCode:CS? methodCode:CE* approachSiteCode:CD* targetSiteCode:CD* {_WHO} {_MORE}",
    "Administration": f"id:II* code:CD? text:ED? statusCode:CS? effectiveTime:WHEN* priorityCode:CE? repeatNumber:INT? routeCode:CE? approachSiteCode:CD* doseQuantity:IVL_PQ? rateQuantity:IVL_PQ? maxDoseQuantity:RTO? administrationUnitCode:CE? consumable:Consumable {_WHO} {_MORE}",
    "Supply": f"id:II* code:CD? text:ED? statusCode:CS? effectiveTime:WHEN* priorityCode:CE* repeatNumber:INT? independentInd:BL? quantity:PQ? expectedUseTime:IVL_TS? product:Consumable? {_WHO} {_MORE}",
    "Consumable": "manufacturedProduct:Product",
    "Product": "id:II* (manufacturedLabeledDrug:Drug|manufacturedMaterial:Material) manufacturerOrganization:Organization?",
    "Drug": "code:CE? name:EN?",
    "Material": "code:CE? name:EN? lotNumberText:ST?",
    "Subject": "awarenessCode:CE? relatedSubject:RelatedSubject",
    "RelatedSubject": f"code:CE? {_REACH} subject:SubjectPerson?",
    "SubjectPerson": "name:PN* administrativeGenderCode:CE? birthTime:TS?",
    "Specimen": "specimenRole:SpecimenRole",
    "SpecimenRole": "id:II* specimenPlayingEntity:Playing?",
    "Performer": "time:IVL_TS? modeCode:CE? assignedEntity:Assigned",
    "Participant": "time:IVL_TS? awarenessCode:CE? participantRole:Role",
    "Role": f"id:II* code:CE? {_REACH} (playingDevice:Tool|playingEntity:Playing)? scopingEntity:Scoping?",
    "Playing": "code:CE? quantity:PQ* name:PN* desc:ED?",
    "Scoping": "id:II* code:CE? desc:ED?",
    "Reference": "seperatableInd:BL? (externalAct:External|externalObservation:External|externalProcedure:External|externalDocument:ExternalDocument)",
    "External": "id:II* code:CD? text:ED?",
    "ExternalDocument": "id:II* code:CD? text:ED? setId:II? versionNumber:INT?",
    "Precondition": "criterion:Criterion",
    "Criterion": "code:CD? text:ED? value:ANY?",
    "Range": "observationRange:RangeOf",
    "RangeOf": "code:CD? text:ED? value:ANY? interpretationCode:CE?",
}  # fmt: skip
_ATTRIBUTES = "classCode=word moodCode=word typeCode=word determinerCode=word contextControlCode=word contextConductionInd=bool negationInd=bool inversionInd=bool"
# What must be said of some.
_MUST = {
    "Act": "classCode moodCode", "Encounter": "classCode moodCode", "Observation": "classCode moodCode",
    "Media": "classCode moodCode", "Organizer": "classCode moodCode", "Procedure": "classCode moodCode",
    "Administration": "classCode moodCode", "Supply": "classCode moodCode", "Relationship": "typeCode",
    "HeadParticipant": "typeCode", "Participant": "typeCode", "StayParticipant": "typeCode",
    "ServicePerformer": "typeCode", "Related": "typeCode", "Reference": "typeCode", "RelatedEntity": "classCode",
    "Associated": "classCode",
}  # fmt: skip
_NAMED = ("Section", "Media")
_CODED = "code=word codeSystem=uid codeSystemName=any codeSystemVersion=any displayName=any"

# Data types: attributes, the elements in them, and whether text stands there ("mixed").
_DATA = {
    "II": ("root=uid extension=any assigningAuthorityName=any displayable=bool", ""),
    "CS": ("code=word", ""),
    "CE": (_CODED, "originalText:ED? translation:CD*"),
    "CD": (_CODED, "originalText:ED? qualifier:CR* translation:CD*"),
    "CR": ("inverted=bool", "name:CE? value:CD?"),
    "ST": ("mediaType=plain representation=plainly language=language", "mixed"),
    "ED": ("mediaType=media representation=packed language=language", "mixed reference:TEL? thumbnail:ED?"),
    "TS": ("value=ts operator=word", ""),
    "IVL_TS": ("value=ts operator=word", "interval:TS:PQ"),
    "PIVL_TS": ("value=ts operator=word alignment=word institutionSpecified=bool", "phase:IVL_TS? period:PQ?"),
    "EIVL_TS": ("value=ts operator=word", "event:CS? offset:IVL_PQ?"),
    "PQ": ("value=real unit=word inclusive=bool", "translation:CD*"),
    "IVL_PQ": ("value=real unit=word operator=word", "interval:PQ:PQ"),
    "INT": ("value=int", ""),
    "REAL": ("value=real", ""),
    "MO": ("value=real currency=word", ""),
    "BL": ("value=bool", ""),
    "RTO": ("", "numerator:PQ denominator:PQ"),
    "RTO_PQ_PQ": ("", "numerator:PQ denominator:PQ"),
    "TEL": ("value=url use=words", "useablePeriod:WHEN*"),
    "AD": ("use=words isNotOrdered=bool", "mixed parts:delimiter,country,state,county,city,postalCode,streetAddressLine,houseNumber,houseNumberNumeric,direction,streetName,streetNameBase,streetNameType,additionalLocator,unitID,unitType,careOf,censusTract,deliveryAddressLine,postBox,precinct useablePeriod:WHEN*"),
    "EN": ("use=words", "mixed parts:delimiter,family,given,prefix,suffix validTime:IVL_TS?"),
    "PN": ("use=words", "mixed parts:delimiter,family,given,prefix,suffix validTime:IVL_TS?"),
    "ON": ("use=words", "mixed parts:delimiter,prefix,suffix validTime:IVL_TS?"),
    "Part": ("partType=word qualifier=words", "mixed"),
}  # fmt: skip
_VALUES = "CD CE CS ST ED II INT REAL PQ MO BL TS IVL_TS PIVL_TS EIVL_TS IVL_PQ RTO RTO_PQ_PQ TEL AD EN PN ON"
_WHEN = "TS IVL_TS PIVL_TS EIVL_TS"
_NULLS = "NI OTH MSK NA UNK ASKU NAV NASK NINF PINF TRC QS NP DER INV UNC"
_FORMS = {
    "any": r"[\s\S]*", "word": r"\S+", "words": r"\S+( \S+)*", "int": r"-?\d+", "real": r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?",
    "bool": "true|false", "null": _NULLS.replace(" ", "|"), "plain": "text/plain", "plainly": "TXT", "packed": "TXT|B64",
    "media": r"[a-z]+/[a-z0-9.+\-]+", "language": "[a-zA-Z]{2,3}(-[a-zA-Z0-9]+)*", "name": r"[A-Za-z_][\w.\-]*",
    "names": r"[A-Za-z_][\w.\-]*( [A-Za-z_][\w.\-]*)*", "size": r"\d+(\.\d+)?%?", "digits": r"\d+",
    "ts": r"\d{4}(\d\d(\d\d)?)?|(\d{10}|\d{12}|\d{14}(\.\d{1,4})?)([+\-]\d{4})?", "url": r"(([A-Za-z][A-Za-z0-9+.\-]*:)?[!-~]+)",
    "uid": r"[0-2](\.(0|[1-9]\d*))+|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[A-Za-z][A-Za-z0-9\-]*",
}  # fmt: skip

# The narrative: attributes beside ID, language and styleCode, and what may stand in each block.
_INLINE = "content linkHtml sub sup br footnote footnoteRef renderMultiMedia"
_STYLED = "ID=name language=language styleCode=words"
_CELL = "abbr=any rowspan=digits colspan=digits align=word char=any valign=word scope=word headers=names"
_NARRATIVE = {
    "content": ("revised=word", f"mixed {_INLINE}"), "sub": ("", "mixed"), "sup": ("", "mixed"), "br": ("", ""),
    "linkHtml": ("href=any name=any rel=any rev=any title=any", "mixed footnote footnoteRef"),
    "footnote": ("", f"mixed {_INLINE} paragraph list table"), "footnoteRef": ("IDREF=name", ""),
    "renderMultiMedia": ("referencedObject=names", "?caption"),
    "paragraph": ("", f"mixed ?caption {_INLINE}"), "list": ("listType=word", "?caption +item"),
    "item": ("", f"mixed ?caption {_INLINE} paragraph list table"),
    "caption": ("", "mixed linkHtml sub sup footnote footnoteRef"),
    "table": ("summary=any width=size border=any frame=word rules=word cellspacing=size cellpadding=size",
              "?caption *col *colgroup ?thead ?tfoot +tbody"),
    "col": ("span=digits width=size align=word valign=word", ""),
    "colgroup": ("span=digits width=size align=word valign=word", "*col"),
    "thead": ("align=word valign=word", "+tr"), "tfoot": ("align=word valign=word", "+tr"),
    "tbody": ("align=word valign=word", "+tr"), "tr": ("align=word valign=word", "+th|td"),
    "th": (_CELL, f"mixed {_INLINE}"), "td": (_CELL, f"mixed {_INLINE} paragraph list"),
}  # fmt: skip

# What holds beside that, as (where, what must be).
_RULES = (
    ("//v:id | //v:setId | //v:templateId | //v:typeId", "@root or @nullFlavor"),
    ("//v:telecom", "@value or @nullFlavor or v:useablePeriod"),
    ("//v:birthTime | //v:time[not(*)] | //v:effectiveTime[not(*)] | //v:low | //v:high | //v:center",
     "(@value and not(@nullFlavor)) or (@nullFlavor and not(@value))"),
    ("//v:value[contains(@xsi:type, 'PQ') and not(*)] | //v:doseQuantity[not(*)]", "@value or @nullFlavor"),
    ("//v:family | //v:given | //v:addr/*[not(self::v:useablePeriod)]", "string-length(normalize-space(.)) > 0 or @nullFlavor"),
    ("//v:name[not(parent::v:qualifier)]", "*[not(self::v:validTime)] or normalize-space(.) or @nullFlavor"),
    ("//v:addr", "* or normalize-space(.) or @nullFlavor"),
    ("//*[@displayName]", "string-length(normalize-space(@displayName)) > 0"),
    ("//v:ClinicalDocument/v:typeId", "@root = '2.16.840.1.113883.1.3' and @extension = 'POCD_HD000040'"),
    ("//v:observation/v:value | //v:observationRange/v:value", "@xsi:type"),
)  # fmt: skip
_ITEM = re.compile(r"\(([^)]*)\)([?*+]?)|(\S+?):(\w+)([?*+]?)(?=\s|$)")
_TIMES = {"?": "optional", "*": "zeroOrMore", "+": "oneOrMore", "": "group"}


def faults(content: bytes) -> list[str]:
    """What is wrong with a document; nothing where it is as it must be."""
    root = etree.fromstring(content)
    found = []
    if not _schema().validate(root):
        found += [f"line {each.line}: {each.message}" for each in _schema().error_log]
    for where, what in _RULES:
        found += [f"{each.tag} without {what}" for each in _found(root, where) if not each.xpath(f"boolean({what})", namespaces=NAMES)]  # fmt: skip
    names = Counter(_found(root, "//@ID"))
    found += [f"the name {each} stands twice" for each, n in names.items() if n > 1]
    said = [each for refers in _found(root, "//@IDREF | //@referencedObject") for each in refers.split()]
    said += [each[1:] for each in _found(root, "//v:reference/@value[starts-with(., '#')]")]
    return found + [f"nothing is named {each}" for each in said if each not in names]


def _found(root: etree._Element, path: str) -> list[etree._Element]:
    return list(root.xpath(path, namespaces=NAMES))


@functools.cache
def _schema() -> etree.RelaxNG:
    parts = [*map(_model, _MODELS), *map(_datum, _DATA), *map(_block, _NARRATIVE), *_choices()]
    inside = "".join(f'<ref name="b.{name}"/>' for name in _words(f"{_INLINE} paragraph list table"))
    parts.append(
        f'<define name="Text">{_attributes(_STYLED + " mediaType=any")}<mixed><zeroOrMore><choice>{inside}'
        "</choice></zeroOrMore></mixed></define>"
    )
    start = '<start><element name="ClinicalDocument"><ref name="Document"/></element></start>'
    whole = (
        f'<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="{NAMES["v"]}" xmlns:sdtc="{NAMES["sdtc"]}" '
        f'xmlns:xsi="{NAMES["xsi"]}" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">'
        f"{start}{''.join(parts)}</grammar>"
    )
    return etree.RelaxNG(etree.fromstring(whole))


def _model(name: str) -> str:
    head = "realmCode:CS* typeId:II? templateId:II*"
    attributes = _attributes(_ATTRIBUTES + " ID=name" * (name in _NAMED), _MUST.get(name, ""))
    return f'<define name="{name}">{attributes}{"".join(_sequence(f"{head} {_MODELS[name]}"))}</define>'


def _datum(name: str) -> str:
    attributes, inside = _DATA[name]
    is_mixed = inside.startswith("mixed")
    body = "".join(_sequence(inside.removeprefix("mixed")))
    body = f"<mixed>{body or '<empty/>'}</mixed>" if is_mixed else body or "<empty/>"
    return f'<define name="{name}">{_attributes(attributes)}{body}</define>'


def _block(name: str) -> str:
    attributes, inside = _NARRATIVE[name]
    words = _words(inside.removeprefix("mixed"))
    ordered = [each for each in words if each[0] in "?*+"]
    free = "".join(f'<ref name="b.{each}"/>' for each in words if each[0] not in "?*+")
    body = "".join(
        _times(each[0], "".join(f'<ref name="b.{one}"/>' for one in each[1:].split("|"))) for each in ordered
    )
    body += f"<zeroOrMore><choice>{free}</choice></zeroOrMore>" if free else ""
    body = f"<mixed>{body or '<empty/>'}</mixed>" if inside.startswith("mixed") else body or "<empty/>"
    must = {"footnoteRef": "IDREF", "renderMultiMedia": "referencedObject"}.get(name, "")
    said = _attributes(f"{_STYLED} {attributes}", must)
    return f'<define name="b.{name}"><element name="{name}">{said}{body}</element></define>'


def _choices() -> Iterator[str]:
    """Values that say their type, and times of administration, which may."""
    typed = "".join(
        f'<group><attribute name="xsi:type"><value type="token">{each}</value></attribute><ref name="{each}"/></group>'
        for each in _words(_VALUES)
    )
    yield f'<define name="ANY"><choice>{typed}</choice></define>'
    times = "".join(
        f'<group><attribute name="xsi:type"><value type="token">{each}</value></attribute><ref name="{each}"/></group>'
        for each in _words(_WHEN)
    )
    yield f'<define name="WHEN"><choice><ref name="TS"/>{times}</choice></define>'


def _sequence(items: str) -> Iterator[str]:
    for choice, times, name, type_, own in _ITEM.findall(items.replace("parts:", "parts:Part* ")):
        if choice:
            each = "".join(_element(*one.rsplit(":", 1)) for one in choice.split("|"))
            yield _times(times, f"<choice>{each}</choice>")
        elif name == "parts":
            yield _times("*", f"<choice>{''.join(_element(one, 'Part') for one in _parts(items))}</choice>")
        elif name.startswith("interval"):
            yield _interval(name.partition(":")[2], type_)
        else:
            yield _times(own, _element(name, type_))


def _parts(items: str) -> list[str]:
    return items.partition("parts:")[2].split()[0].split(",")


def _interval(of: str, width: str) -> str:
    """An interval has ends, or a middle, or a width; the lower end first."""
    low, high, center = (_element(each, of) for each in ("low", "high", "center"))
    wide = _element("width", width)
    ways = (f"<group>{low}<optional><choice>{high}{wide}</choice></optional></group>", high,
            f"<group>{wide}<optional>{high}</optional></group>", f"<group>{center}<optional>{wide}</optional></group>")  # fmt: skip
    return f"<optional><choice>{''.join(ways)}</choice></optional>"


def _element(name: str, type_: str) -> str:
    return f'<element name="{name}"><ref name="{type_}"/></element>'


def _times(times: str, what: str) -> str:
    what = f"<choice>{what}</choice>" if what.count("<ref") > 1 and what.startswith("<ref") else what
    return f"<{_TIMES[times]}>{what}</{_TIMES[times]}>"


def _attributes(said: str, must: str = "") -> str:
    out = _times("?", _attribute("nullFlavor", "null"))
    for each in _words(said):
        name, _, form = each.partition("=")
        out += _attribute(name, form) if name in must.split() else _times("?", _attribute(name, form))
    return out


def _attribute(name: str, form: str) -> str:
    pattern = f'<param name="pattern">{escape(_FORMS[form])}</param>'
    return f'<attribute name="{name}" ns=""><data type="string">{pattern}</data></attribute>'


def _words(text: str) -> list[str]:
    return text.split()
