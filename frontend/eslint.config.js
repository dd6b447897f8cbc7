import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y-x";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

// Imports point one way: pages -> components -> {graph, live} -> store -> view -> api. What each room must not know:
const above = {
  api: ["view", "store", "live", "graph", "components", "pages"],
  view: ["store", "live", "graph", "components", "pages"],
  store: ["live", "graph", "components", "pages"],
  live: ["graph", "components", "pages"],
  graph: ["live", "components", "pages"],
  components: ["pages"],
  pages: [],
};

const upward = { group: ["../*"], message: "Import another room as @/room/file." };
// Only src/graph may touch the renderer.
const renderer = ["cytoscape", "cytoscape-fcose", "cytoscape-svg"];

const rooms = Object.entries(above).map(([room, higher]) => ({
  files: [`src/${room}/**/*.{ts,tsx}`],
  ignores: ["**/*.test.{ts,tsx}"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        paths: room === "graph" ? [] : renderer,
        patterns: [
          upward,
          ...higher.map((name) => ({
            group: [`@/${name}/*`],
            message: `src/${room} must not know src/${name}.`,
          })),
        ],
      },
    ],
  },
}));

// A key that an input method takes must do nothing, and shortcuts are the same on every layout.
const through = "Read the key with pressedKey(event) of @/view/keys.";
const keyOfPress = [
  { selector: 'MemberExpression[object.name=/^(event|e|press)$/][property.name="key"]', message: through },
  {
    selector: 'VariableDeclarator[init.name=/^(event|e|press)$/] > ObjectPattern > Property[key.name="key"]',
    message: through,
  },
  {
    selector:
      'JSXAttribute[name.name=/^onKey(Down|Up|Press)$/] ArrowFunctionExpression > ObjectPattern > Property[key.name="key"]',
    message: through,
  },
];

export default tseslint.config(
  { ignores: ["dist", "dist-widget", "node_modules", "src/api/generated"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  reactHooks.configs.flat.recommended,
  jsxA11y.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      // What was just opened takes the focus: dialogs, and fields in the place of a button.
      "jsx-a11y-x/no-autofocus": "off",
      // What scrolls, and the drawings, are reached by keyboard.
      "jsx-a11y-x/no-noninteractive-tabindex": ["error", { roles: ["application", "region"], tags: [] }],
    },
  },
  {
    files: ["src/components/**/*.{ts,tsx}", "src/pages/**/*.{ts,tsx}"],
    ignores: ["**/*.test.{ts,tsx}", "src/components/kit/hooks.ts"],
    rules: {
      "no-restricted-syntax": ["error", ...keyOfPress],
    },
  },
  ...rooms,
  {
    files: ["**/*.js"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: globals.nodeBuiltin },
  },
);
