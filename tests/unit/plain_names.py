# SPDX-License-Identifier: MIT
"""plain_names.py TABLE.c PACKAGES.c: looks at the source of every name that the tables list of Python's own modules
and of packages, as installed. What mentions a way to make code, or of Python's own to choose a name, fails,
unless it is here with a reason. Prints TAP."""
import ast
import importlib
import inspect
import operator
import re
import sys
import textwrap
import warnings

RUNS = re.compile(r'pickle\.load|read_pickle|\bexec\(|\beval\(|__import__|import_module')
WAYS = re.compile(r'pickle|\bexec\(|\beval\(|__import__|import_module|\bgetattr\([^,()]*,\s*(?!\s|["\'])')
REVIEWED = {
    'argparse.Action': 'names of its own fields',
    'argparse.ArgumentParser': 'names of options, which the program gives it',
    'collections.namedtuple': 'names of fields, each an identifier or refused',
    'configparser.SectionProxy': 'get and the like, of its own converters',
    'dataclasses.fields': 'a name that is constant in the module',
    'dataclasses.replace': 'names of fields of a class that the program has',
    'datetime.date': 'its state, ten bytes, is taken as numbers',
    'datetime.datetime': 'as date',
    'datetime.time': 'as date',
    'enum.EnumMeta': 'names of special methods, constant in the module',
    'enum.EnumType': 'as EnumMeta',
    'functools.total_ordering': 'names of comparisons, constant in the module',
    'functools.update_wrapper': 'names that the program gives it',
    'inspect.isabstract': 'names of methods of a class that the program has; it asks and calls nothing',
    'logging.Logger': 'how it is written, never read',
    'pandas.DataFrame': 'eval, which is no plain name, and query, of constants',
    'pprint.PrettyPrinter': 'names of fields of a class that the program has',
    'shutil.copystat': 'names in os that are constant in it',
    'sqlite3.Date': 'is datetime.date',
    'sqlite3.Time': 'is datetime.time',
    'sqlite3.Timestamp': 'is datetime.datetime',
    'tarfile.TarFile': 'gzopen and the like, of a table in it',
    'tarfile.open': 'as TarFile',
}


def rows(path):
    text = open(path).read()
    text = text[text.index('const struct plain_row plain_'):text.index('ARRAY_SIZE(plain_')]
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    for row in re.findall(r'\{\s*("[^{}]*?)\}', text):
        fields = [''.join(re.findall(r'"([^"]*)"', f)) for f in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', row)]
        for module in fields[0].split():
            yield module, fields[2].split()


def code_of(found):
    """Without what is only said: comments and strings that stand alone."""
    if not (inspect.isroutine(found) or inspect.isclass(found)):
        return ''
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(found)))
    except (OSError, TypeError):
        return ''
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(0)
    return ast.unparse(tree)


def find(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        package, _, rest = module.partition('.')
        return operator.attrgetter(rest)(importlib.import_module(package)) if rest else None


def look(path, ways, wrong):
    looked = 0
    for module, names in rows(path):
        try:
            there = find(module)
        except (ImportError, AttributeError):
            continue
        for name in names:
            looked += 1
            says = ways.search(code_of(getattr(there, name, None)))
            if says and module + '.' + name not in REVIEWED:
                wrong.append('%s.%s: %s' % (module, name, says.group()))
    return looked


def main():
    wrong = []
    warnings.simplefilter('ignore')
    looked = look(sys.argv[1], WAYS, wrong)
    look(sys.argv[2], RUNS, wrong)
    print('1..2')
    print(('not ' if wrong else '') + 'ok 1 - no listed name of Python mentions a way to make code')
    for line in wrong:
        print('# ' + line)
    print(('not ' if looked < 500 else '') + 'ok 2 - of so many: %d' % looked)


main()
