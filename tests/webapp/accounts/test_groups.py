"""Groups: who makes them, and who sees their members."""


def test_groups_are_made_by_administrators(api, users):
    made = api().post("/api/v1/groups", {"name": "Chemists", "members": ["viewer"]}, format="json")
    assert (made.status_code, made.json()["members"]) == (201, ["viewer"])
    url = f"/api/v1/groups/{made.json()['id']}"
    assert api().post("/api/v1/groups", {"name": "Chemists"}, format="json").status_code in (400, 409)
    assert api("viewer").get(url).json()["members"] == ["viewer"]
    assert api("analyst").get(url).json()["members"] == []
    assert api("analyst").patch(url, {"members": ["analyst"]}, format="json").status_code == 403
    changed = api().patch(url, {"members": ["viewer", "analyst"]}, format="json").json()
    assert sorted(changed["members"]) == ["analyst", "viewer"]
    people = {p["username"]: p["groups"] for p in api().get("/api/v1/users").json()}
    assert people == {"viewer": ["Chemists"], "analyst": ["Chemists"], "admin": []}
    assert api("analyst").get("/api/v1/users").status_code == 403
    assert api().delete(url).status_code == 204
