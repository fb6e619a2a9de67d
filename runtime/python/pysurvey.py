# SPDX-License-Identifier: MIT
"""What is true of a whole Python program, from one pass over its tree before anything is rewritten:
attributes that are set in one place only, functions that are always called without arguments, the
texts under definitions. A name that means two things is not known; nothing is evaluated here."""
import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = FUNCTIONS + (ast.ClassDef,)


class Survey:
    def __init__(self):
        self.stores = {}        # attribute: how often it is set
        self.assigns = {}       # attribute: the statement that does
        self.docs = {}          # name: text under its definition; None: two of them
        self.classes = set()
        self.local = set()      # names that are bound in some function
        self.empty = set()      # functions that are called with nothing
        self.used = set()       # functions that are called with something, or used otherwise

    def read(self, body, work):
        todo = [(node, False) for node in body]
        while todo:
            node, inside = todo.pop()
            work.step()
            form = FORMS.get(type(node))
            if form:
                form(self, node, inside)
            inside = inside or isinstance(node, FUNCTIONS + (ast.Lambda,))
            skipped = node.func if isinstance(node, ast.Call) else None
            if isinstance(skipped, ast.Attribute):
                todo.append((skipped.value, inside))
            todo.extend((n, inside) for n in ast.iter_child_nodes(node)
                        if n is not skipped or not isinstance(n, (ast.Name, ast.Attribute)))
        return self

    def set_once(self, name):
        """The expression that attribute NAME is, or None."""
        return self.assigns[name].value if self.stores.get(name) == 1 and name in self.assigns else None

    def never_given(self, name):
        """Is the function NAME called, and always without arguments?"""
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
        text = ast.get_docstring(node, False)
        self.docs[node.name] = text if node.name not in self.docs else None
        if inside:
            self.local.add(node.name)
        if getattr(node, 'decorator_list', None):
            self.used.add(node.name)

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
}
