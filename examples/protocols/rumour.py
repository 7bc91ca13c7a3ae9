"""A rumour of which half of the contacts tell, and some forget"""
rules = {("quiet", "loud"): {("loud", "loud"): 0.5, ("quiet", "quiet"): 0.125}}
