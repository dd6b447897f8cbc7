// How things move, for those who want to see it.

export const FADE_MS = 120;
export const MOVE_MS = 220;

export const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
