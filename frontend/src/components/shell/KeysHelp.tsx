import { Modal } from "@/components/kit/controls";

const KEYS: [string, [string, string][]][] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "Palette: ask, go to a graph, a report or a run"],
      ["?", "This list"],
      ["a", "Go to the question"],
    ],
  ],
  [
    "Graph",
    [
      ["/", "Search in the graph"],
      ["f", "Fit"],
      ["+ -", "Zoom"],
      ["← → ↑ ↓", "Move between entities"],
      ["Enter", "Menu of the chosen entity"],
      ["e", "Expand the chosen entity"],
      ["h", "Hide it"],
      ["p", "Path between two entities on show"],
      ["z", "Undo"],
      ["Esc", "Show everything again"],
    ],
  ],
  [
    "Steering an agent",
    [
      ["Space", "Pause it, or go on"],
      ["u", "Take its last step back"],
    ],
  ],
  [
    "Comparison",
    [
      ["1 2 3 4", "Take a method out of the drawing, or put it back"],
      ["Esc", "Show every chain again"],
    ],
  ],
  [
    "Review",
    [
      ["1 2 3", "The path in focus is rational, not rational, unsure"],
      ["j k", "Between the paths"],
      ["b", "The question is broken"],
      ["Enter", "Submit, and on to the next question"],
      ["Ctrl Z", "Take the last submission back"],
    ],
  ],
  [
    "Experiments",
    [
      ["n", "Start an evaluation"],
      ["c", "Compare the ticked reports"],
      ["Space", "Tick the report in focus"],
    ],
  ],
  [
    "Question",
    [
      ["@", "Pick an entity by any part of its name"],
      ["Tab", "Take the suggestion"],
      ["Enter", "Ask"],
      ["Esc", "Leave the field, so that keys act on the graph"],
    ],
  ],
];

export function KeysHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Keys" isOpen={isOpen} onClose={onClose} wide>
      <div className="keys">
        {KEYS.map(([title, list]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {list.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
