// A typed no-answer: why there is none, and what to try.
import { Fragment } from "react";
import type { NoAnswer, NoAnswerReason, Span } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { Button } from "@/components/kit/controls";
import { elide } from "@/view/format";
import { nameOf } from "@/view/entityNames";

interface Advice {
  title: string;
  tries: string[];
}

const ADVICE: Record<NoAnswerReason, Advice> = {
  entity_not_linked: {
    title: "No entity of the graph was recognised",
    tries: [],
  },
  no_path: {
    title: "No path leads from the topic to an answer",
    tries: ["Raise the triple budget in the settings.", "Ask the question in two smaller ones."],
  },
  reasoner_declined: {
    title: "The evidence does not support an answer",
    tries: [
      "Look at the evidence below: it may answer a nearby question.",
      "Try another method or reasoner.",
    ],
  },
  not_in_graph: {
    title: "The graph does not hold this",
    tries: ["Ask another graph, or for something that is known of it."],
  },
  too_long: {
    title: "The question is too long to be read in full",
    tries: ["Ask it in fewer words, or as several questions."],
  },
  not_understood: {
    title: "Clew cannot work this out yet",
    tries: ["Choose a language model as the reasoner, where one is set up."],
  },
};

/** A program was run, and one of its steps kept nothing. */
const NOTHING_KEPT: Advice = { title: "A step kept nothing", tries: [] };

interface Props {
  noAnswer: NoAnswer;
  question?: string | undefined;
  /** It was worked out in steps, which are shown. */
  byProgram?: boolean;
  onRaiseBudget?: (() => void) | undefined;
  onAgain: () => void;
  /** Ask again with a name that was meant. */
  onMeant?: ((name: string) => void) | undefined;
  /** The entities that the question was read to be about; what is known of one can be looked at. */
  topics?: readonly { id: number; label: string }[];
  onFind?: ((entity: number) => void) | undefined;
  /** Questions that the graph is known to answer. */
  examples?: readonly string[];
  onExample?: ((question: string) => void) | undefined;
}

const TOPICS = 3;
const EXAMPLES = 3;

/** The question with the words marked that are the reason. Spans count characters, of which some are two units here. */
function Marked({ question, spans }: { question: string; spans: readonly Span[] }) {
  const letters = Array.from(question);
  const text = (start: number, end?: number) => letters.slice(start, end).join("");
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  return (
    <p className="no-answer-question" dir="auto">
      {ordered.map(({ start, end }, at) => (
        <Fragment key={start}>
          {text(ordered[at - 1]?.end ?? 0, start)}
          <mark>{text(start, end)}</mark>
        </Fragment>
      ))}
      {text(ordered.at(-1)?.end ?? 0)}
    </p>
  );
}

export function NoAnswerCard({
  noAnswer,
  question,
  byProgram = false,
  onRaiseBudget,
  onAgain,
  onMeant,
  topics = [],
  onFind,
  examples = [],
  onExample,
}: Props) {
  const nothing = byProgram && noAnswer.reason === "no_path";
  const { title, tries } = nothing ? NOTHING_KEPT : ADVICE[noAnswer.reason];
  const advice = [...(noAnswer.hint ? [noAnswer.hint] : []), ...tries];
  return (
    <section className="no-answer" aria-labelledby="no-answer-title">
      <header>
        <Icon name="info" />
        <h2 id="no-answer-title">{title}</h2>
      </header>
      <p>{noAnswer.message}</p>
      {question && noAnswer.spans.length > 0 && <Marked question={question} spans={noAnswer.spans} />}
      {onMeant && noAnswer.near.length > 0 && (
        <p className="row wrap">
          Did you mean
          {noAnswer.near.map((name) => (
            <Button key={name} size="small" onPress={() => onMeant(name)}>
              <bdi>{name}</bdi>
            </Button>
          ))}
        </p>
      )}
      {advice.length > 0 && (
        <>
          <h3>What to try</h3>
          <ul>
            {advice.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {onExample && examples.length > 0 && (
        <>
          <h3>This graph answers</h3>
          <ul className="row wrap examples-inline">
            {examples
              .filter((one) => one !== question)
              .slice(0, EXAMPLES)
              .map((one) => (
                <li key={one}>
                  <Button size="small" onPress={() => onExample(one)}>
                    <bdi>{one}</bdi>
                  </Button>
                </li>
              ))}
          </ul>
        </>
      )}
      <div className="row wrap">
        {onFind &&
          topics.slice(0, TOPICS).map((one) => (
            <Button key={one.id} size="small" icon="info" onPress={() => onFind(one.id)}>
              What is known of <bdi>{elide(nameOf(one), 40)}</bdi>
            </Button>
          ))}
        {noAnswer.reason === "no_path" && !nothing && onRaiseBudget && (
          <Button size="small" onPress={onRaiseBudget}>
            Ask with twice the budget
          </Button>
        )}
        {/* In the same words it would not be understood again. */}
        {noAnswer.reason !== "not_understood" && (
          <Button size="small" icon="retry" onPress={onAgain}>
            Ask again
          </Button>
        )}
      </div>
    </section>
  );
}
