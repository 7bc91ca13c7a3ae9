"""A table with a function for the other pairs: red meets blue by luck, and blue paints green"""
rules = {("red", "blue"): {("blue", "blue"): 0.25, ("red", "red"): 0.25}, ("green", "green"): ("red", "blue")}


def otherwise(l, r):
    if l.state == "blue" and r.state == "green":
        r.state = "blue"
