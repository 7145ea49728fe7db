// Brings the hero the values between the stops of its slider, so that one more does not bring all the others again.

export default function ({ data: [data] }) {
  window.labBetween = data; // for a hero that comes later
  window.dispatchEvent(new CustomEvent("lab:between"));
}
