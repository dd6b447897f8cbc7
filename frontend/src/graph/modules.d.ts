// Plugins that bring no types.
declare module "cytoscape-fcose" {
  import type { Ext } from "cytoscape";
  const plugin: Ext;
  export default plugin;
}

declare module "cytoscape-svg" {
  import type { Ext } from "cytoscape";
  const plugin: Ext;
  export default plugin;
}
