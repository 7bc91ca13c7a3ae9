// The scenes of the lessons. Each text was written beside the picture that its link gives.

/** @type {{ title: string, text: string, link: string }[]} */
export const SCENES = [
  { title: "Draft", text: "Draft.", link: "#protocol=ppl&n=64&start=safe&seed=1&step=0" },
];
