// New tests: one that is typed, or a file of them.
import { useRef, useState } from "react";
import { keepTests, type NewTest } from "@/api/tests";
import { keys } from "@/api/queries";
import type { Id } from "@/api/types";
import { Button, Modal, type DialogProps } from "@/components/kit/controls";
import { Form } from "@/components/kit/Form";
import { TextArea, TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { count } from "@/view/format";
import { linesOf, testsOfFile } from "@/view/tests";
import { toast } from "@/store/toasts";

function AddForm({ graph, onClose }: { graph: Id; onClose: () => void }) {
  const [question, setQuestion] = useState("");
  const [expected, setExpected] = useState("");
  const [file, setFile] = useState<{ name: string; tests: NewTest[] | null } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const typed: NewTest[] = question.trim()
    ? [{ question: question.trim(), expected: linesOf(expected) }]
    : [];
  const tests = [...typed, ...(file?.tests ?? [])];
  const keep = useAct(() => keepTests(graph, { tests }), {
    changes: [keys.graphs],
    done: () => {
      toast(`${count(tests.length, "test")} kept.`);
      onClose();
    },
  });
  return (
    <Form
      of={keep}
      act={tests.length > 1 ? `Keep ${tests.length} tests` : "Keep the test"}
      isDisabled={tests.length === 0 || file?.tests === null}
      onClose={onClose}
    >
      <TextField label="Question" value={question} onChange={setQuestion} autoComplete="off" dir="auto" />
      <TextArea
        label="Expected answers, one a line"
        value={expected}
        onChange={setExpected}
        rows={4}
        dir="auto"
        hint="The test passes when exactly these come, in any order. Empty: no answer is expected."
      />
      <div className="row wrap">
        <input
          ref={input}
          type="file"
          hidden
          accept=".json,.jsonl"
          aria-label="A file of tests"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen)
              void chosen.text().then((text) => setFile({ name: chosen.name, tests: testsOfFile(text) }));
          }}
        />
        <Button icon="upload" onPress={() => input.current?.click()}>
          Choose a file of tests
        </Button>
        {file && (
          <span className={file.tests ? "small" : "small bad-text"}>
            {file.name}: {file.tests ? count(file.tests.length, "test") : "no tests were found in it"}
          </span>
        )}
      </div>
      <p className="hint">
        A file is what “Download” gives, or questions with their answers as JSON, one object a line.
      </p>
    </Form>
  );
}

export function AddTests({ graph, isOpen, onClose }: DialogProps & { graph: Id }) {
  return (
    <Modal title="Add a test" isOpen={isOpen} onClose={onClose}>
      <AddForm graph={graph} onClose={onClose} />
    </Modal>
  );
}
