import { useLocation } from "react-router";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { ACTS, ACT_NAMES, showKey, useKeymap } from "@/store/reviewKeys";

type Section = [string, [string, string][]];

const KEYS: Section[] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "Palette: ask, go to a graph, a queue, a report or a run"],
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
      ["p", "Path between two entities shown"],
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
      ["1 2 3 4", "Hide a method in the drawing, or show it again"],
      ["Esc", "Show every chain again"],
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

/** The keys of the review page are one's own to choose. */
function useSections(): Section[] {
  const keymap = useKeymap();
  const review: Section = [
    "Review",
    [
      ...ACT_NAMES.map((act): [string, string] => [showKey(keymap[act]), ACTS[act].label]),
      ["↑ ↓", "Between the paths, as well"],
    ],
  ];
  return useLocation().pathname.startsWith("/review/") ? [review, ...KEYS] : [...KEYS, review];
}

export function KeysHelp({ isOpen, onClose }: DialogProps) {
  const sections = useSections();
  return (
    <Modal title="Keys" isOpen={isOpen} onClose={onClose} wide>
      <div className="keys">
        {sections.map(([title, list]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {list.map(([key, what]) => (
                <div key={what}>
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
