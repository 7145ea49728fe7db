"""Pictures drawn from results, without Streamlit and without computing on the data."""
