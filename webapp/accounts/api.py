"""``/session`` and ``/token``."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib.auth import login, logout, update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware, get_token
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts import people, throttling
from webapp.accounts.authentication import Session
from webapp.accounts.models import Role, User
from webapp.accounts.services import check_password, create_token
from webapp.api.errors import BadLoginError, CsrfError, PasswordChangeError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form


class LoginSerializer(serializers.Serializer[object]):
    """A user name and a password."""

    username = PlainText(max_length=150)
    password = PlainText(max_length=1000, trim_whitespace=False)


class NewPasswordSerializer(serializers.Serializer[object]):
    """The password that one has, and the one that one wants."""

    old_password = PlainText(max_length=1000, trim_whitespace=False)
    new_password = PlainText(max_length=1000, trim_whitespace=False)


class UserSerializer(serializers.Serializer[User]):
    """Who is logged in."""

    username = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    must_change_password = serializers.BooleanField()


class SessionSerializer(serializers.Serializer[object]):
    """The session's user, and the CSRF token to send back as ``X-CSRFToken``."""

    user = UserSerializer(allow_null=True)
    csrf = serializers.CharField()


class TokenSerializer(serializers.Serializer[object]):
    """A new API token."""

    token = serializers.CharField()


class SessionView(APIView):
    """The browser's session."""

    authentication_classes = [Session]
    permission_classes = [AllowAny]

    @extend_schema(operation_id="session_get", responses=SessionSerializer)
    def get(self, request: Request) -> Response:
        """Who is logged in, if anybody."""
        return _render_session(request)

    @extend_schema(operation_id="session_login", request=LoginSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        """Log in."""
        _require_csrf(request)
        data = _read_login(request)
        cookie = request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "")
        device = throttling.read_device(cookie, data["username"])
        user = check_password(**data, address=_get_address(request), device=device)
        login(request._request, user)
        request.user = user
        answer = _render_session(request)
        answer.set_cookie(
            settings.DEVICE_COOKIE_NAME,
            cookie if device else throttling.create_device(user.username),
            max_age=settings.DEVICE_COOKIE_AGE,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
        return answer

    @extend_schema(operation_id="session_logout", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Log out."""
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PasswordView(APIView):
    """One's own password."""

    authentication_classes = [Session]
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="session_password", request=NewPasswordSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        """Choose another one. All other sessions of this person end, and all their tokens."""
        data = validate_form(NewPasswordSerializer(data=request.data))
        user = cast(User, request.user)
        try:
            check_password(
                username=user.username,
                password=data["old_password"],
                address=_get_address(request),
                device=str(request._request.session.session_key),  # whoever is logged in is known
            )
        except BadLoginError:
            raise serializers.ValidationError({"old_password": ["This is not your password."]}) from None
        try:
            people.update_password(user=user, password=data["new_password"])
        except ValidationError as error:
            raise serializers.ValidationError({"new_password": error.messages}) from None
        update_session_auth_hash(request._request, user)
        return _render_session(request)


class TokenView(APIView):
    """Tokens for scripts."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="token_create", request=LoginSerializer, responses=TokenSerializer)
    def post(self, request: Request) -> Response:
        """Make a token. It is shown this once."""
        user = check_password(**_read_login(request), address=_get_address(request))
        if user.must_change_password:
            raise PasswordChangeError("Choose a password of your own first.", hint="Log in to do so.")
        return Response({"token": create_token(user=user)})


def _read_login(request: Request) -> dict[str, str]:
    return validate_form(LoginSerializer(data=request.data))


def _render_session(request: Request) -> Response:
    user = request.user if request.user.is_authenticated else None
    return Response(SessionSerializer({"user": user, "csrf": get_token(request._request)}).data)


def _get_address(request: Request) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


def _require_csrf(request: Request) -> None:
    """REST framework checks only logged-in sessions; logging in needs the check too (login CSRF)."""
    check = CsrfViewMiddleware(_fail_unreached)
    check.process_request(request._request)
    if check.process_view(request._request, _fail_unreached, (), {}) is not None:
        raise CsrfError(
            "The CSRF token is missing or wrong.", hint="Read it from GET session and send it as X-CSRFToken."
        )


def _fail_unreached(request: HttpRequest) -> HttpResponse:
    raise AssertionError("the check alone is used")
