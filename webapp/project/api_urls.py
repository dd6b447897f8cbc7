"""Addresses under ``/api/v1/``."""

from __future__ import annotations

from django.urls import include, path, re_path
from rest_framework.routers import SimpleRouter

from webapp.accounts.api import PasswordView, SessionView, TokenView
from webapp.accounts.groups_api import GroupViewSet
from webapp.accounts.people_api import DeactivateView, PasswordResetView, PersonView, UnlockView, UsersView
from webapp.accounts.tokens_api import TokenRowView, TokensView
from webapp.answers.across_api import AcrossQuestionsView, AcrossQuestionView
from webapp.answers.api import ComparisonsView, ComparisonView, RunViewSet
from webapp.answers.corrections_api import CorrectionViewSet
from webapp.answers.programs_api import ProgramCorrectionsFileView, ProgramCorrectionsView
from webapp.answers.retrieval_api import RetrieveView
from webapp.answers.tables_api import RunTableView, TableCellView
from webapp.answers.tried_programs_api import ItemProgramsView
from webapp.answers.why_not_api import WhyNotFoundView, WhyNotView
from webapp.api.views import handle_not_found
from webapp.edits.api import DuplicatesView, EditsView, PreviewEditsView, UndoEditView
from webapp.experiments.api import CheckpointViewSet, LabelSetViewSet, MethodView
from webapp.experiments.error_limits_api import ErrorLimitView
from webapp.experiments.promotions_api import PromotionsView, RollbackView
from webapp.experiments.report_api import ReportViewSet
from webapp.experiments.trajectories_api import TrajectorySetViewSet
from webapp.graph_tests.api import (
    AskTestsView,
    RoundViewSet,
    TestPolicyView,
    TestsFileView,
    TestsView,
    TestViewSet,
    WatchesView,
    WatchView,
)
from webapp.graphs.api import GraphViewSet
from webapp.graphs.endpoints_api import CheckView, EndpointsView, EndpointView
from webapp.graphs.explore_api import PathsView, PictureView, SimilarView
from webapp.graphs.export_api import ExportView
from webapp.graphs.extraction_api import ExtractView
from webapp.graphs.figures_api import ReportView, SchemaView, StatisticsView
from webapp.graphs.jobs_api import JobViewSet
from webapp.graphs.model_api import GraphModelView, ModelConversionView, ModelView
from webapp.graphs.preview_api import FormatsView, PreviewView
from webapp.graphs.provenance_api import FactSourcesView
from webapp.graphs.reconciliation_api import EntityPreviewView, ProposalView, ServiceView, SuggestView
from webapp.graphs.shapes_api import GraphShapesView
from webapp.graphs.sparql_api import SparqlView
from webapp.graphs.trash_api import (
    RestoreMadeView,
    RestoreVersionView,
    RestoreView,
    StorageView,
    TrashedMadeView,
    TrashedVersionView,
    TrashedView,
    TrashView,
)
from webapp.graphs.versions_api import ActivateView, DependentsView, DiffView, VersionsView, VersionView
from webapp.language_models.api import LanguageModelViewSet, LimitsView, ModelTestView, UsageView
from webapp.project.openapi import ExplorerView, OpenApiView
from webapp.project.status import StatusView
from webapp.questions.api import QuestionSetViewSet
from webapp.questions.samples_api import SampleQuestionsView
from webapp.review.api.items import ItemViewSet
from webapp.review.api.queues import QueueViewSet
from webapp.review.api.training import TrainView
from webapp.sharing.api import SharedContentView, SharedLinkViewSet, SharingPolicyView
from webapp.sources.api import CheckSourceView, ConfirmRefreshView, RefreshView, SourceView
from webapp.studies.api import StudyViewSet
from webapp.studies.leaderboard import LeaderboardView
from webapp.uploads.api import UploadsView, UploadView
from webapp.vocabulary.api import VocabularyFileView, VocabularyView
from webapp.webhooks.api import WebhookViewSet

router = SimpleRouter(trailing_slash=False, use_regex_path=False)
router.register("graphs", GraphViewSet)
router.register("groups", GroupViewSet)
router.register("question-sets", QuestionSetViewSet)
router.register("checkpoints", CheckpointViewSet)
router.register("label-sets", LabelSetViewSet)
router.register("reports", ReportViewSet)
router.register("studies", StudyViewSet)
router.register("jobs", JobViewSet)
router.register("runs", RunViewSet)
router.register("trajectory-sets", TrajectorySetViewSet)
router.register("corrections", CorrectionViewSet)
router.register("language-models", LanguageModelViewSet)
router.register("tests", TestViewSet)
router.register("test-rounds", RoundViewSet)
router.register("review/queues", QueueViewSet)
router.register("review/items", ItemViewSet)
router.register("webhooks", WebhookViewSet)
router.register("shared-links", SharedLinkViewSet)

urlpatterns = [
    path("session", SessionView.as_view()),
    path("session/password", PasswordView.as_view()),
    path("token", TokenView.as_view()),
    path("tokens", TokensView.as_view()),
    path("tokens/<int:pk>", TokenRowView.as_view()),
    path("users", UsersView.as_view()),
    path("users/<int:pk>", PersonView.as_view()),
    path("users/<int:pk>/deactivate", DeactivateView.as_view()),
    path("users/<int:pk>/password", PasswordResetView.as_view()),
    path("users/<int:pk>/unlock", UnlockView.as_view()),
    path("trash", TrashView.as_view()),
    path("trash/<int:pk>", TrashedView.as_view()),
    path("trash/<int:pk>/restore", RestoreView.as_view()),
    path("trash/<str:kind>/<int:key>", TrashedMadeView.as_view()),
    path("trash/<str:kind>/<int:key>/restore", RestoreMadeView.as_view()),
    path("trash/<int:pk>/versions/<int:version>", TrashedVersionView.as_view()),
    path("trash/<int:pk>/versions/<int:version>/restore", RestoreVersionView.as_view()),
    path("storage", StorageView.as_view()),
    path("status", StatusView.as_view()),
    path("methods/<str:name>", MethodView.as_view()),
    path("endpoints", EndpointsView.as_view()),
    path("graphs/<int:pk>/endpoint", EndpointView.as_view()),
    path("graphs/<int:pk>/endpoint/check", CheckView.as_view()),
    path("graphs/<int:pk>/train", TrainView.as_view()),
    path("graphs/<int:pk>/promotions", PromotionsView.as_view()),
    path("graphs/<int:pk>/rollback", RollbackView.as_view()),
    path("graphs/<int:pk>/error-limit", ErrorLimitView.as_view()),
    path("graphs/<int:pk>/extract", ExtractView.as_view()),
    path("graphs/<int:pk>/versions", VersionsView.as_view()),
    path("graphs/<int:pk>/versions/diff", DiffView.as_view()),
    path("graphs/<int:pk>/versions/<int:version>", VersionView.as_view()),
    path("graphs/<int:pk>/versions/<int:version>/activate", ActivateView.as_view()),
    path("graphs/<int:pk>/duplicates", DuplicatesView.as_view()),
    path("graphs/<int:pk>/edits", EditsView.as_view()),
    path("graphs/<int:pk>/edits/preview", PreviewEditsView.as_view()),
    path("graphs/<int:pk>/edits/<int:number>/undo", UndoEditView.as_view()),
    path("graphs/<int:pk>/report", ReportView.as_view()),
    path("graphs/<int:pk>/picture", PictureView.as_view()),
    path("graphs/<int:pk>/paths", PathsView.as_view()),
    path("graphs/<int:pk>/facts/sources", FactSourcesView.as_view()),
    path("graphs/<int:pk>/similar", SimilarView.as_view()),
    path("graphs/<int:pk>/statistics", StatisticsView.as_view()),
    path("graphs/<int:pk>/schema", SchemaView.as_view()),
    path("graphs/<int:pk>/model", GraphModelView.as_view()),
    path("graphs/<int:pk>/vocabulary", VocabularyView.as_view()),
    path("graphs/<int:pk>/vocabulary/file", VocabularyFileView.as_view()),
    path("graphs/<int:pk>/export", ExportView.as_view()),
    path("graphs/<int:pk>/shapes", GraphShapesView.as_view()),
    path("graphs/<int:pk>/sparql", SparqlView.as_view()),
    path("graphs/<int:pk>/source", SourceView.as_view()),
    path("graphs/<int:pk>/source/check", CheckSourceView.as_view()),
    path("graphs/<int:pk>/source/refresh", RefreshView.as_view()),
    path("graphs/<int:pk>/source/refreshes/<int:refresh>/confirm", ConfirmRefreshView.as_view()),
    path("graphs/<int:pk>/sample-questions", SampleQuestionsView.as_view()),
    path("graphs/<int:pk>/program-corrections", ProgramCorrectionsView.as_view()),
    path("graphs/<int:pk>/program-corrections/download", ProgramCorrectionsFileView.as_view()),
    path("watches", WatchesView.as_view()),
    path("watches/<int:pk>", WatchView.as_view()),
    path("graphs/<int:pk>/tests", TestsView.as_view()),
    path("graphs/<int:pk>/tests/ask", AskTestsView.as_view()),
    path("graphs/<int:pk>/tests/policy", TestPolicyView.as_view()),
    path("graphs/<int:pk>/tests/download", TestsFileView.as_view()),
    path("review/items/<int:pk>/programs", ItemProgramsView.as_view()),
    path("graphs/<int:pk>/dependents", DependentsView.as_view()),
    path("question-sets/<int:pk>/leaderboard", LeaderboardView.as_view()),
    path("retrieve", RetrieveView.as_view()),
    path("reconcile/<str:token>/<int:pk>", ServiceView.as_view()),
    path("reconcile/<str:token>/<int:pk>/suggest/<str:kind>", SuggestView.as_view()),
    path("reconcile/<str:token>/<int:pk>/properties", ProposalView.as_view()),
    path("reconcile/<str:token>/<int:pk>/preview", EntityPreviewView.as_view()),
    path("sharing-policy", SharingPolicyView.as_view()),
    path("shared/<str:token>", SharedContentView.as_view()),
    path("across", AcrossQuestionsView.as_view()),
    path("across/<uuid:pk>", AcrossQuestionView.as_view()),
    path("comparisons", ComparisonsView.as_view()),
    path("comparisons/<uuid:pk>", ComparisonView.as_view()),
    path("language-models/tests/<uuid:pk>", ModelTestView.as_view()),
    path("runs/<uuid:pk>/table", RunTableView.as_view()),
    path("runs/<uuid:pk>/table/cell", TableCellView.as_view()),
    path("runs/<uuid:pk>/why-not", WhyNotView.as_view()),
    path("runs/<uuid:pk>/why-not/<uuid:key>", WhyNotFoundView.as_view()),
    path("language-limits", LimitsView.as_view()),
    path("language-usage", UsageView.as_view()),
    path("uploads", UploadsView.as_view()),
    path("uploads/formats", FormatsView.as_view()),
    path("uploads/preview", PreviewView.as_view()),
    path("uploads/model", ModelView.as_view()),
    path("uploads/model/convert", ModelConversionView.as_view()),
    path("uploads/<uuid:pk>", UploadView.as_view()),
    path("schema", OpenApiView.as_view()),
    path("explorer", ExplorerView.as_view()),
    path("", include(router.urls)),
    re_path("^.*$", handle_not_found),
]
