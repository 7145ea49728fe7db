"""Pictures drawn from results, without Streamlit and without arithmetic on the data."""
