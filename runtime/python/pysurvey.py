# SPDX-License-Identifier: MIT
"""Facts about a whole Python program, from one pass over its tree before it is rewritten: attributes
that are set in one place only, functions that are always called without arguments, docstrings. A name
with two meanings is not known. Nothing is evaluated here."""
import _ast as ast

from pytree import INNER, docstring

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = FUNCTIONS + (ast.Lambda,)


class Survey:
    def __init__(self):
        self.stores = {}        # attribute: how often it is set
        self.assigns = {}       # attribute: the statement that sets it
        self.docs = {}          # name: docstring; None if it has two
        self.classes = set()
        self.local = set()      # names that are bound in some function
        self.empty = set()      # functions that are called without arguments
        self.used = set()       # functions that are called with arguments or used otherwise
        self.functions = []
        self.has_outer = False  # True if a function binds names of another scope
        self.inner = []         # bodies of functions, still to be read

    def read(self, body, work):
        """Reads the bodies of functions last."""
        done = self.pass_over(list(body), False)
        work.step(done + self.pass_over(self.inner, True))
        return self

    def pass_over(self, todo, inside):
        done = 0
        while todo:
            node = todo.pop()
            kind = type(node)
            done += 1
            form = FORMS.get(kind)
            if form:
                form(self, node, inside)
            if kind is ast.Call:
                func = node.func        # a call, not another use of the name
                todo.append(func.value if type(func) is ast.Attribute else
                            None if type(func) is ast.Name else func)
                todo += node.args
                todo += node.keywords
                continue
            into = self.inner if kind in SCOPES else todo
            one, many = INNER[kind]
            for name in one:
                into.append(getattr(node, name, None))
            for name in many:
                into += getattr(node, name, ())
        return done

    def set_once(self, name):
        """The expression of the attribute NAME, or None."""
        return self.assigns[name].value if self.stores.get(name) == 1 and name in self.assigns else None

    def never_given(self, name):
        """True if the function NAME is called, and always without arguments."""
        return name in self.empty and name not in self.used

    def store(self, name, times=1):
        self.stores[name] = self.stores.get(name, 0) + times

    def see_attribute(self, node, inside):
        if isinstance(node.ctx, ast.Load):
            self.used.add(node.attr)
        else:
            self.store(node.attr)

    def see_assign(self, node, inside):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Attribute) and node.value is not None:
            self.assigns[targets[0].attr] = node

    def see_augment(self, node, inside):
        if isinstance(node.target, ast.Attribute):
            self.store(node.target.attr)

    def see_name(self, node, inside):
        if isinstance(node.ctx, ast.Load):
            self.used.add(node.id)
        elif inside:
            self.local.add(node.id)

    def see_arg(self, node, inside):
        self.local.add(node.arg)

    def see_call(self, node, inside):
        name = getattr(node.func, 'id', None) or getattr(node.func, 'attr', None)
        if name:
            (self.used if node.args or node.keywords else self.empty).add(name)

    def see_definition(self, node, inside):
        text = docstring(node.body)
        self.functions += [node] if isinstance(node, FUNCTIONS) else []
        self.docs[node.name] = text if node.name not in self.docs else None
        if inside:
            self.local.add(node.name)
        if getattr(node, 'decorator_list', None):
            self.used.add(node.name)

    def see_outer(self, node, inside):
        self.has_outer = True

    def see_class(self, node, inside):
        self.see_definition(node, inside)
        self.classes.add(node.name)
        for part in node.body:
            if isinstance(part, ast.Assign) and len(part.targets) == 1 and \
                    isinstance(part.targets[0], ast.Name):
                self.store(part.targets[0].id)
                self.assigns[part.targets[0].id] = part
            elif isinstance(part, FUNCTIONS):
                self.store(part.name, 2)


FORMS = {
    ast.Attribute: Survey.see_attribute, ast.Assign: Survey.see_assign,
    ast.AnnAssign: Survey.see_assign, ast.AugAssign: Survey.see_augment, ast.Name: Survey.see_name,
    ast.arg: Survey.see_arg, ast.Call: Survey.see_call, ast.FunctionDef: Survey.see_definition,
    ast.AsyncFunctionDef: Survey.see_definition, ast.ClassDef: Survey.see_class,
    ast.Global: Survey.see_outer, ast.Nonlocal: Survey.see_outer,
}
