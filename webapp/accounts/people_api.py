"""``/users``: the people, for administrators."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts import people, quotas, throttling
from webapp.accounts.models import Role, User
from webapp.accounts.permissions import Admin
from webapp.accounts.views import UserView
from webapp.api.access import filter_visible
from webapp.api.fields import PlainText
from webapp.api.params import validate_form

QUOTA_MAX = 2**60


class AccountSerializer(serializers.ModelSerializer[User]):
    """A person. ``used`` and ``limit`` are bytes kept and allowed; ``quota`` is set where theirs is their own.

    ``login_locked_s``: for so many seconds nobody logs in to the account from a new device; 0 without a lock.
    """

    groups: serializers.RelatedField[Any, Any, Any] = serializers.SlugRelatedField(
        slug_field="name", many=True, read_only=True
    )
    must_change_password = serializers.BooleanField(read_only=True)
    login_locked_s = serializers.SerializerMethodField()
    used = serializers.SerializerMethodField()
    limit = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = [
            *("id", "username", "role", "is_active", "must_change_password", "groups", "last_seen_at"),
            *("date_joined", "login_locked_s", "used", "quota", "limit"),
        ]

    def get_login_locked_s(self, person: User) -> int:
        """How long the account is locked for new devices."""
        locks = self.context.get("locks") or throttling.list_locks([person.username])
        return int(locks[person.username])

    def get_used(self, person: User) -> int:
        """What counts against the quota."""
        used = self.context.get("used")
        return quotas.compute_usage(person) if used is None else int(used.get(person.pk, 0))

    def get_limit(self, person: User) -> int | None:
        """How much they may keep."""
        return quotas.get_quota(person)


class MadeAccountSerializer(AccountSerializer):
    """A person and the password that was made for them; it is shown this once, and opens only the way to another."""

    password = serializers.CharField()

    class Meta(AccountSerializer.Meta):
        fields = [*AccountSerializer.Meta.fields, "password"]


class NewPersonSerializer(serializers.Serializer[object]):
    """A person to be made."""

    username = PlainText(max_length=150, validators=[User.username_validator])
    role = serializers.ChoiceField(choices=Role.choices)
    quota = serializers.IntegerField(min_value=0, max_value=QUOTA_MAX, allow_null=True, default=None)


class PersonChangeSerializer(serializers.Serializer[object]):
    """What is to change; what is left out stays. ``quota`` null: as the installation says."""

    role = serializers.ChoiceField(choices=Role.choices, required=False)
    quota = serializers.IntegerField(min_value=0, max_value=QUOTA_MAX, required=False, allow_null=True)


class _People(UserView):
    permission_classes = [Admin]

    def get_person(self, pk: int) -> User:
        """Somebody."""
        return get_object_or_404(_list_people(self.user), pk=pk)


class UsersView(_People):
    """The people."""

    @extend_schema(operation_id="users_list", responses=AccountSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Everybody, by name."""
        rows = _list_people(self.user)
        locks = throttling.list_locks([person.username for person in rows])
        context = {"used": quotas.compute_usage_by_user(), "locks": locks}
        return Response(AccountSerializer(rows, many=True, context=context).data)

    @extend_schema(operation_id="users_create", request=NewPersonSerializer, responses={201: MadeAccountSerializer})
    def post(self, request: Request) -> Response:
        """Make a person, with a password for the first login, which is shown this once."""
        data = validate_form(NewPersonSerializer(data=request.data))
        person, password = people.create(
            username=data["username"], role=Role(data["role"]), quota=data["quota"], by=self.user
        )
        return _render_with_password(person, password, status.HTTP_201_CREATED)


class PersonView(_People):
    """One person."""

    @extend_schema(operation_id="users_get", responses=AccountSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Who it is."""
        return Response(AccountSerializer(self.get_person(pk)).data)

    @extend_schema(operation_id="users_change", request=PersonChangeSerializer, responses=AccountSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Change the role or the quota."""
        data = validate_form(PersonChangeSerializer(data=request.data))
        changed = people.update_person(
            person=self.get_person(pk),
            role=Role(data["role"]) if "role" in data else None,
            quota=data.get("quota"),
            sets_quota="quota" in data,
            by=self.user,
        )
        return Response(AccountSerializer(changed).data)


class DeactivateView(_People):
    """Whether somebody is let in."""

    @extend_schema(operation_id="users_deactivate", request=None, responses=AccountSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Let them in no more: sessions, sockets and tokens end at once. What they made stays."""
        return Response(AccountSerializer(people.deactivate(person=self.get_person(pk), by=self.user)).data)


class PasswordResetView(_People):
    """Somebody's password."""

    @extend_schema(operation_id="users_reset_password", request=None, responses=MadeAccountSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Make a new one, shown this once; who was deactivated is let in again. Sessions and tokens end."""
        person, password = people.reset_password(person=self.get_person(pk), by=self.user)
        return _render_with_password(person, password, status.HTTP_200_OK)


class UnlockView(_People):
    """The lock that wrong passwords put on an account."""

    @extend_schema(operation_id="users_unlock", request=None, responses=AccountSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Forget all wrong passwords that were tried for the account: new devices can log in again."""
        return Response(AccountSerializer(people.unlock(person=self.get_person(pk), by=self.user)).data)


def _list_people(user: User) -> QuerySet[User]:
    return filter_visible(User.objects.order_by("username").prefetch_related("groups"), user)


def _render_with_password(person: User, password: str, code: int) -> Response:
    shown = {**AccountSerializer(person).data, "password": password}
    answer = Response(shown, status=code)
    answer["Cache-Control"] = "no-store"
    return answer
