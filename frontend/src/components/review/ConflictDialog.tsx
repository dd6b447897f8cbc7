// A question was judged while it was before the analyst: what they said before, what is not sent, and the choice.
import { Button, Modal } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { count } from "@/view/format";
import type { Item, Said, SaidOf } from "@/api/review";
import { Chain } from "./Chain";
import { KindBadge } from "./CandidateRow";
import { ReasonWords } from "./Reasons";
import type { Contested } from "@/store/annotationState";

function Cell({ said }: { said: SaidOf | undefined }) {
  if (!said) return <span className="muted">–</span>;
  return (
    <>
      <KindBadge kind={said.kind} /> <ReasonWords reasons={said.reasons} />
      {said.comment && <q className="small">{said.comment}</q>}
    </>
  );
}

/** Who said what of each path, side by side. */
export function Versions({ item, versions }: { item: Item; versions: readonly (Said & { name: string })[] }) {
  const broken = versions.some((one) => one.verdicts.some((two) => two.candidate === null));
  const rows = [
    ...(broken ? [{ id: null, node: <>The question</> }] : []),
    ...item.candidates.map((one) => ({ id: one.id, node: <Chain topic={one.topic} steps={one.steps} /> })),
  ];
  return (
    <div className="scroll-x">
      <table className="table dense">
        <thead>
          <tr>
            <th>Path</th>
            {versions.map((one) => (
              <th key={one.name}>
                <bdi>{one.name}</bdi>{" "}
                {one.at && (
                  <span className="muted">
                    <Ago iso={one.at} />
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, node }) => (
            <tr key={id}>
              <td>{node}</td>
              {versions.map((one) => (
                <td key={one.name}>
                  <Cell said={one.verdicts.find((two) => two.candidate === id)} />
                </td>
              ))}
            </tr>
          ))}
          {versions.some((one) => one.comment) && (
            <tr>
              <td className="muted">Comment</td>
              {versions.map((one) => (
                <td key={one.name}>{one.comment}</td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

interface Props {
  contested: Contested | undefined;
  user: string;
  onSettle: (which: Contested, how: "add" | "leave" | "look") => void;
}

export function ConflictDialog({ contested, user, onSettle }: Props) {
  if (!contested) return null;
  const { item, mine } = contested;
  const { judgement } = mine;
  const own = item.mine !== null;
  const yours = {
    name: "yours, not sent",
    analyst: user,
    at: "",
    comment: judgement.comment,
    verdicts: judgement.broken
      ? [{ candidate: null, kind: "broken" as const, reasons: [...judgement.reasons], comment: "" }]
      : judgement.verdicts.map((one) => ({ ...one, reasons: [...one.reasons] })),
  };
  return (
    <Modal
      wide
      title="Judged meanwhile"
      role="alertdialog"
      isOpen
      onClose={() => onSettle(contested, "look")}
    >
      <p>
        {own
          ? "You judged this question somewhere else since you opened it here."
          : `${count(item.submitted, "analyst")} completed this question while you had it before you. Their verdicts are shown once yours is recorded.`}{" "}
        Nothing of yours is recorded yet, and nothing is lost.
      </p>
      <p className="strong">{item.question}</p>
      <Versions
        item={item}
        versions={[...(item.mine ? [{ ...item.mine, name: "yours before" }] : []), yours]}
      />
      <div className="foot">
        <Button onPress={() => onSettle(contested, "look")}>Look at it again</Button>
        <Button onPress={() => onSettle(contested, "leave")}>
          {own ? "Keep what I said before" : "Leave it as it is"}
        </Button>
        <Button look="primary" autoFocus onPress={() => onSettle(contested, "add")}>
          {own ? "Say this instead" : "Add mine as one more opinion"}
        </Button>
      </div>
    </Modal>
  );
}
