TODAY = {}
