// Brings the hero the values between the stops of its slider, so that a new one does not bring all the others again.

/** @param {Part<HeroData>} part */
export default function ({ data: [data] }) {
  lab.between = data; // for a hero that comes later
  lab.hero?.between();
}
