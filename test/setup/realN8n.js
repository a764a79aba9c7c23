/** Before tests in a real n8n: builds dist/ and installs n8n. */
const { setUp } = require('../../dev/install/setUp');

module.exports = () => setUp('--host');
