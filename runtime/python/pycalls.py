# SPDX-License-Identifier: MIT
"""Functions of Python that return a name from outside the program, or call their arguments: getattr,
__import__, eval, map and the like. Each is a row; e is the evaluator (pyeval.py). The module is
loaded when the first one is called, because most programs call none. Nothing is imported or run."""
import bounds
import pyconst
import pytree
from pyconst import NotConst, Value
from pyeval import word
from pynames import MODULE, Partial, Ref


def _getattr(e, args, kwargs):
    if len(args) not in (2, 3) or kwargs:
        raise NotConst
    return e.attribute(args[0], word(args[1]))


def _import(e, args, kwargs):
    if not args:
        raise NotConst
    module = e.module(args[0])
    if '.' in module.path and len(args) < 4 and not kwargs.get('fromlist'):
        return e.module(module.path.split('.')[0])
    return module


def _import_module(e, args, kwargs):
    return e.module(args[0] if args else kwargs.get('name'))


def _vars(e, args, kwargs):
    if not args:
        return Ref('<names>')
    return e.attribute(args[0], '__dict__')


def _names(e, args, kwargs):
    return Ref('<names>')


def _eval(e, args, kwargs):
    code = args[0] if args else None
    if isinstance(code, bytes):
        code = code.decode('utf-8', 'replace')
    if not isinstance(code, str) or e.depth >= bounds.DEPTH:
        raise NotConst
    e.depth += 1
    try:
        e.work.parse(code)
        return e.value(pytree.parse(code.strip(), 'eval').body)
    except (RecursionError, MemoryError) as error:
        e.view.too_much(e.line, error)
        raise NotConst from None
    except (SyntaxError, ValueError):
        raise NotConst from None
    finally:
        e.depth -= 1


def _map(e, args, kwargs):
    rows = list(zip(*[e.items(a) for a in args[1:]]))
    return pyconst.check([e.apply(args[0], list(row), {}) for row in rows])


def _filter(e, args, kwargs):
    items = e.items(args[1])
    return [x for x in items if (x if args[0] is None else e.apply(args[0], [x], {}))]


def _reduce(e, args, kwargs):
    items = list(e.items(args[1]))
    made = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        made = e.apply(args[0], [made, item], {})
    return made


def _partial(e, args, kwargs):
    if not args or not isinstance(args[0], Value):
        raise NotConst
    return Partial(args[0], None, args[1:], kwargs)


def _attrgetter(e, args, kwargs):
    if len(args) != 1 or not isinstance(args[0], str) or not MODULE.match(args[0]):
        raise NotConst
    return Partial(None, args[0], None, {})


def _methodcaller(e, args, kwargs):
    return Partial(None, word(args[0]), args[1:], kwargs)


CALLS = {
    'builtins.getattr': _getattr, 'builtins.__import__': _import,
    'importlib.import_module': _import_module,
    'importlib.__import__': _import,
    'builtins.__loader__.load_module': _import_module,
    'imp.load_module': _import_module, 'builtins.vars': _vars,
    'builtins.globals': _names, 'builtins.locals': _names,
    'builtins.eval': _eval, 'ast.literal_eval': _eval,
    'builtins.map': _map, 'builtins.filter': _filter,
    'functools.reduce': _reduce, 'functools.partial': _partial,
    'operator.attrgetter': _attrgetter,
    'operator.methodcaller': _methodcaller,
}
