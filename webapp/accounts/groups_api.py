"""``/groups``: who belongs together."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from rest_framework import serializers, viewsets

from webapp.accounts.models import Role, User
from webapp.accounts.permissions import AdminWrites
from webapp.api.errors import NameTakenError
from webapp.api.fields import PlainText


class PeopleGroupSerializer(serializers.ModelSerializer[Group]):
    """A group of people; who they are is told to administrators and members."""

    name = PlainText(max_length=150)
    members = serializers.SlugRelatedField(
        source="user_set", slug_field="username", queryset=User.objects.all(), many=True, required=False
    )

    class Meta:
        model = Group
        fields = ["id", "name", "members"]

    def to_representation(self, instance: Group) -> dict[str, object]:
        """Without the members for whom it does not concern."""
        shown = super().to_representation(instance)
        user = self.context["request"].user
        if not user.has_role(Role.ADMIN) and user.username not in shown["members"]:
            shown["members"] = []
        return shown

    def save(self, **kwargs: object) -> Group:
        """Keep it.

        Raises:
            NameTakenError: another group has this name.
        """
        try:
            with transaction.atomic():
                return super().save(**kwargs)
        except IntegrityError:
            name = self.validated_data["name"]
            raise NameTakenError(f"There is a group named {name}.", hint="Choose another name.") from None


class GroupViewSet(viewsets.ModelViewSet[Group]):
    """Groups of people."""

    queryset = Group.objects.none()
    serializer_class = PeopleGroupSerializer
    lookup_value_converter = "int"
    permission_classes = [AdminWrites]
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Group]:
        """By name."""
        return Group.objects.order_by("name").prefetch_related("user_set")
