"""Valid numbers of many countries, made from shapes: `#` a digit, `@` a capital, [1-7] one of these, DDMMYY a day."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import import_module

SHAPES = {
    "ar.cuit": "20########-#",
    "at.vnr": "####DDMMYY",
    "au.abn": "## ### ### ###",
    "au.tfn": "### ### ###",
    "be.nn": "YYMMDD#####",
    "bg.egn": "YYMMDD####",
    "br.cnpj": "##.###.###/####-##",
    "br.cpf": "###.###.###-##",
    "ca.bc_phn": "9### ### ###",
    "ca.sin": "[1-7]## ### ###",
    "ch.ssn": "756.####.####.##",
    "cl.rut": "##.###.###-#",
    "cn.ric": "110101YYYYMMDD####",
    "co.nit": "###.###.###-#",
    "cz.rc": "YYMMDD/####",
    "de.idnr": "## ### ### ###",
    "dk.cpr": "DDMMYY-####",
    "do.cedula": "00#-#######-#",
    "ec.ci": "17########",
    "ee.ik": "3YYMMDD####",
    "es.ccc": "####-####-##-##########",
    "es.cif": "B########",
    "es.dni": "########@",
    "es.nie": "X#######@",
    "fi.hetu": "DDMMYY-###@",
    "fr.nir": "1YYMM75########",
    "fr.siren": "### ### ###",
    "fr.siret": "##############",
    "gb.nhs": "### ### ####",
    "gb.upn": "@80100#######",
    "gb.utr": "##########",
    "gr.amka": "DDMMYY#####",
    "hr.oib": "###########",
    "hu.anum": "########",
    "id.npwp": "##.###.###.#-###.###",
    "ie.pps": "#######@",
    "il.idnr": "#########",
    "imei": "35-######-######-#",
    "in_.aadhaar": "[2-9]### #### ####",
    "in_.pan": "ABCPE####@",
    "is_.kennitala": "DDMMYY-###9",
    "it.codicefiscale": "RSSMRAYYT10A562@",
    "it.iva": "###########",
    "jp.in_": "#### #### ####",
    "kr.rrn": "YYMMDD-1######",
    "lt.asmens": "3YYMMDD####",
    "luhn": "4###############",
    "mx.curp": "HEGGYYMMDDMVZRRL0#",
    "my.nric": "YYMMDD-14-####",
    "nl.bsn": "#### ## ###",
    "no.fodselsnummer": "DDMMYY #####",
    "nz.ird": "##-###-###",
    "pe.cui": "########-#",
    "pk.cnic": "[1-7]####-#######-#",
    "pl.nip": "###-###-##-##",
    "pl.pesel": "YYMMDD#####",
    "pt.nif": "2########",
    "ro.cnp": "1YYMMDD######",
    "ru.inn": "############",
    "se.personnummer": "YYMMDD-####",
    "si.emso": "DDMM9YY50####",
    "th.pin": "1-####-#####-##-#",
    "tr.tckimlik": "[1-9]##########",
    "tr.vkn": "##########",
    "ua.rntrc": "##########",
    "us.ein": "[1-6]#-#######",
    "us.itin": "9##-7#-####",
    "us.rtn": "0########",
    "us.ssn": "[1-6]##-##-####",
    "uy.rut": "21-######-001-#",
    "ve.rif": "V-########-#",
    "za.idnr": "YYMMDD#######",
}
ACCOUNTS = {
    "AT": "################",
    "CH": "#################",
    "CZ": "####################",
    "DE": "##################",
    "DK": "##############",
    "FR": "20041010050500013M02606",
    "GB": "WEST##############",
    "IE": "AIBK##############",
    "IL": "###################",
    "LT": "################",
    "LU": "################",
    "NL": "ABNA##########",
    "PL": "########################",
    "PT": "000201231234567890154",
    "RO": "AAAA1B31007593840000",
    "SA": "80000000608010167519",
    "SE": "####################",
    "TR": "000610################",
    "AE": "033################",
}
_TRIES = 200_000


def numbers(module: str, n: int, seed: int = 3) -> list[str]:
    """So many valid numbers as the module knows them, the same for a seed."""
    chance = random.Random(f"{module}{seed}")
    check = import_module(f"stdnum.{module}").is_valid
    found = (number for number in (_fill(SHAPES[module], chance) for _ in range(_TRIES)) if check(number))
    return [number for _, number in zip(range(n), found, strict=False)]


def accounts(country: str, n: int, seed: int = 3) -> Iterator[str]:
    """International account numbers with their check digits."""
    from stdnum import iban

    chance = random.Random(f"{country}{seed}")
    for _ in range(n):
        body = _fill(ACCOUNTS[country], chance)
        yield country + iban.calc_check_digits(f"{country}00{body}") + body


def _fill(shape: str, chance: random.Random) -> str:
    year, month, day = chance.randint(40, 99), chance.randint(1, 12), chance.randint(1, 28)
    shape = shape.replace("YYYY", f"19{year}").replace("YY", str(year))
    if "DD" in shape or "MM" in shape:
        shape = shape.replace("MM", f"{month:02d}").replace("DD", f"{day:02d}")
    filled, place = "", 0
    while place < len(shape):
        char = shape[place]
        if char == "[":
            filled += str(chance.randint(int(shape[place + 1]), int(shape[place + 3])))
            place += 4
        elif char in "#@":
            filled += str(chance.randint(0, 9)) if char == "#" else chance.choice("ABCDEFGHJKLMNPQRSTVWXYZ")
        else:
            filled += char
        place += 1
    return filled
