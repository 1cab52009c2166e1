'use strict';
// Shows the HTML of a message in a frame that may run, submit and open nothing. The page sends the HTML once this is ready.
addEventListener('message', ({ data, source }) => {
  if (source !== parent || typeof data !== 'string') return;
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', '');
  frame.title = 'Message';
  frame.srcdoc = data;
  document.body.replaceChildren(frame);
});
parent.postMessage('ready', '*');
