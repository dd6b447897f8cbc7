// What a test expects, changed.
import { useState } from "react";
import { changeTest, type GraphTest } from "@/api/tests";
import { keys } from "@/api/queries";
import { Button, Modal } from "@/components/kit/controls";
import { Form } from "@/components/kit/Form";
import { TextArea } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { linesOf } from "@/view/tests";

function EditForm({ test, onClose }: { test: GraphTest; onClose: () => void }) {
  const [expected, setExpected] = useState(test.expected.join("\n"));
  const change = useAct(() => changeTest(test.id, linesOf(expected)), {
    changes: [keys.graphs],
    done: onClose,
  });
  const last = test.last;
  return (
    <Form of={change} act="Save" onClose={onClose}>
      <p>
        <bdi>{test.question}</bdi>
      </p>
      <TextArea
        label="Expected answers, one a line"
        value={expected}
        onChange={setExpected}
        rows={Math.min(12, Math.max(4, linesOf(expected).length + 1))}
        dir="auto"
        hint="Empty: no answer is expected."
      />
      {last?.outcome === "failed" && (
        <p>
          <Button size="small" onPress={() => setExpected(last.answers.join("\n"))}>
            Use the last answer
          </Button>
        </p>
      )}
    </Form>
  );
}

export function EditTest({ test, onClose }: { test: GraphTest | null; onClose: () => void }) {
  return (
    <Modal title="What the test expects" isOpen={test !== null} onClose={onClose}>
      {test && <EditForm test={test} onClose={onClose} />}
    </Modal>
  );
}
