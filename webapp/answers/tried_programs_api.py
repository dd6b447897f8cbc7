"""``/review/items/{id}/programs``: programs that analysts tried, added to a question."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import Analyst
from webapp.accounts.views import UserView
from webapp.answers import selectors, tried_programs
from webapp.api.params import validate_form
from webapp.review import selectors as reviews
from webapp.review.api.items import render_item
from webapp.review.api.serializers import ChangedItemSerializer


class TriedProgramSerializer(serializers.Serializer[object]):
    """The run whose program is added, and the candidate that it was made of."""

    id = serializers.UUIDField()
    run = serializers.UUIDField()
    edited_from = serializers.IntegerField(allow_null=True, default=None)


class ItemProgramsView(UserView):
    """Programs of a question of a review."""

    permission_classes = [Analyst]

    @extend_schema(
        operation_id="review_items_programs", request=TriedProgramSerializer, responses=ChangedItemSerializer
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add the program that a run executed; one that asks for what the question has already is left as it is."""
        item = self.find(reviews.list_items(), pk)
        data = validate_form(TriedProgramSerializer(data=request.data))
        run = self.find(selectors.list_runs(), data.pop("run"))
        changed = tried_programs.add(run=run, item=item, user=self.user, **data)
        return Response({"item": render_item(changed, self.user)})
